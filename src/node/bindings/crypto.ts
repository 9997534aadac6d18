/**
 * `crypto`: Node's own OpenSSL. Work for the thread pool is done at once and completes as an event. Random bytes, keys,
 * primes and padding come from the process's entropy where OpenSSL allows it (seeded-keys.ts, seeded-primes.ts);
 * unseeded-randomness.ts lists what stays really random, and notes when a program asks for it.
 */
import { AsyncResource } from 'node:async_hooks'
import { ceil } from '../../kernel/arithmetic.ts'
import { current } from '../process/current.ts'
import { takeInternals, type Binding } from '../library/internals.ts'
import type { RunningProcess } from '../process/running-process.ts'
import { trustingContext, extraRootCertificates, type NativeContext } from './network/trusted-certificates.ts'
import { bareKeyPairs, curveKeyPairs, seededEcdh } from './seeded-keys.ts'
import { seededPrimes, seededPublicEncrypt, seededRsaCipher } from './seeded-primes.ts'
import {
  noteDiffieHellman,
  noteExports,
  noteSignatures,
  signatureJobs,
  unseededJob,
} from './unseeded-randomness.ts'
import { webError, webForm, withoutThen } from './web-crypto-jobs.ts'

/** How long the thread pool takes for any job, at least. */
const JOB_US = 100

type JobResult = readonly [error: unknown, value: unknown]

interface NativeJob {
  run(): JobResult
}

type NativeJobClass = new (mode: number, ...args: any[]) => NativeJob

export function crypto(): Binding {
  const real = takeInternals().internalBinding('crypto')
  const binding: Binding = {}
  for (const key of Reflect.ownKeys(real)) {
    const value: unknown = real[key]
    const isJob = typeof key === 'string' && key.endsWith('Job') && typeof value === 'function'
    binding[key] = isJob ? simulatedJob(key, real, value as NativeJobClass) : value
  }
  binding.RandomBytesJob = simulatedJob('RandomBytesJob', real, RandomBytes)
  binding.SecretKeyGenJob = simulatedJob('SecretKeyGenJob', real, secretKeys(real))
  const job = (name: string, Native: NativeJobClass): void =>
    void (binding[name] = simulatedJob(name, real, Native))
  job('EcKeyPairGenJob', curveKeyPairs(real, real.EcKeyPairGenJob))
  const bareKeys = real.NamedKeyPairGenJob === undefined ? 'NidKeyPairGenJob' : 'NamedKeyPairGenJob'
  job(bareKeys, bareKeyPairs(real, real[bareKeys]))
  job('RandomPrimeJob', seededPrimes(real.RandomPrimeJob))
  for (const kind of ['Rsa', 'Dsa', 'Dh']) {
    const call = `crypto.generateKeyPair('${kind.toLowerCase()}')`
    job(
      `${kind}KeyPairGenJob`,
      unseededJob(real[`${kind}KeyPairGenJob`], () => call),
    )
  }
  binding.ECDH = seededEcdh(real)
  binding.publicEncrypt = seededPublicEncrypt(real)
  job('RSACipherJob', seededRsaCipher(real))
  const { KEMEncapsulateJob } = real
  if (KEMEncapsulateJob !== undefined)
    job(
      'KEMEncapsulateJob',
      unseededJob(KEMEncapsulateJob, () => 'crypto.encapsulate'),
    )
  noteDiffieHellman(binding, real)
  noteExports(real)
  noteSignatures(binding, real)
  job('SignJob', signatureJobs(real))
  binding.secureHeapUsed = () => undefined
  binding.SecureContext = trustingContext(real.SecureContext as new () => NativeContext)
  if (binding.isExtraRootCertsFileLoaded !== undefined)
    binding.isExtraRootCertsFileLoaded = () => extraRootCertificates(current()).length > 0
  return binding
}

function simulatedJob(name: string, real: Binding, Native: NativeJobClass): unknown {
  const { kCryptoJobAsync, kCryptoJobSync, kCryptoJobWebCrypto } = real
  const type = `${name.replace(/Job$/, '').toUpperCase()}REQUEST`
  const made = {
    [name]: class extends AsyncResource {
      ondone?: (error: unknown, value: unknown) => void
      private readonly job: NativeJob
      private readonly mode: number
      /** Makes what WebCrypto promises out of the job's value. */
      private readonly webResult: ((value: unknown) => unknown) | null = null

      constructor(mode: number, ...args: unknown[]) {
        super(type, { requireManualDestroy: true })
        this.mode = mode
        if (mode === kCryptoJobWebCrypto) [args, this.webResult] = webForm(name, args)
        this.job = new Native(kCryptoJobSync, ...args)
      }

      run(): unknown {
        const process = current()
        const result = this.mode === kCryptoJobSync ? this.job.run() : resultOf(this.job)
        if (this.mode === kCryptoJobAsync) {
          process.complete('crypto', JOB_US, () => {
            if (this.ondone !== undefined) process.makeCallback(this, this.ondone, this, result[0], result[1])
            this.emitDestroy()
          })
          return undefined
        }
        return this.webResult === null ? result : this.promise(process, result, this.webResult)
      }

      private promise(
        process: RunningProcess,
        [error, value]: JobResult,
        webResult: (value: unknown) => unknown,
      ): Promise<unknown> {
        return new Promise((resolve, reject) => {
          const settle = (): void => {
            if (error === undefined) withoutThen(webResult(value), resolve)
            else reject(webError(error))
          }
          process.complete('crypto', JOB_US, () => {
            process.makeCallback(this, settle, this)
            this.emitDestroy()
          })
        })
      }
    },
  }
  return made[name]
}

/** A job throws its error when it is done at once, and hands it to its callback when the thread pool does it. */
function resultOf(job: NativeJob): JobResult {
  try {
    return job.run()
  } catch (error) {
    return [error, undefined]
  }
}

/** Symmetric keys are random bytes of the current process. WebCrypto's may end within a byte. */
function secretKeys(real: Binding): NativeJobClass {
  return class implements NativeJob {
    private readonly bits: number

    constructor(_mode: number, bits: number, forWebCrypto = false) {
      this.bits = forWebCrypto ? bits : bits - (bits % 8)
    }

    run(): JobResult {
      const bytes = Buffer.alloc(ceil(this.bits / 8))
      current().entropy.fill(bytes)
      if (this.bits % 8 !== 0) bytes[bytes.length - 1] &= 0xff << (8 - (this.bits % 8))
      const handle = new real.KeyObjectHandle()
      handle.init(real.kKeyTypeSecret, bytes)
      return [undefined, handle]
    }
  }
}

/** Random bytes of the current process. */
class RandomBytes implements NativeJob {
  private readonly target: Uint8Array

  constructor(_mode: number, buffer: ArrayBuffer | ArrayBufferView, offset: number, size: number) {
    const [store, start] = ArrayBuffer.isView(buffer) ? [buffer.buffer, buffer.byteOffset] : [buffer, 0]
    this.target = new Uint8Array(store, start + offset, size)
  }

  run(): JobResult {
    current().entropy.fill(this.target)
    return [undefined, undefined]
  }
}
