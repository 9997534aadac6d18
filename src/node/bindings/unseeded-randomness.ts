/**
 * Calls of OpenSSL that draw real randomness, which no seed decides: after one of them, two runs of a seed may part. The
 * world keeps their names, so that a difference between two runs can say where it may come from.
 *
 * They are: key pairs of RSA, DSA, Diffie-Hellman, of curves that seeded-keys.ts does not know and of post-quantum kinds;
 * signatures by ECDSA, DSA, RSA-PSS and post-quantum kinds; encapsulated keys; primes with a remainder, and long safe
 * ones; the salt of an encrypted private key. TLS draws real randomness too, but its bytes stay out of the run's hash
 * (network/tls-wrap.ts).
 */
import { current, running } from '../process/current.ts'
import type { Binding } from '../library/internals.ts'
import { type KeyArguments, nativeKey, partAtData } from './key-arguments.ts'

/** Notes that a call draws real randomness. */
export function noteUnseeded(call: string): void {
  current().kernel.unseeded.add(call)
}

type JobClass = new (mode: number, ...args: any[]) => { run(): readonly [error: unknown, value: unknown] }

/** A job class that notes its call when it runs. */
export function unseededJob(Native: JobClass, callOf: (args: readonly unknown[]) => string | null): JobClass {
  return class {
    private readonly job: InstanceType<JobClass>
    private readonly call: string | null

    constructor(mode: number, ...args: unknown[]) {
      this.call = callOf(args)
      this.job = new Native(mode, ...args)
    }

    run(): readonly [error: unknown, value: unknown] {
      if (this.call !== null) noteUnseeded(this.call)
      return this.job.run()
    }
  }
}

/** Makes the members of the binding that sign note it when the signature is random. */
export function noteSignatures(binding: Binding, real: Binding): void {
  const note = (key: KeyArguments, padding: unknown): void => {
    const call = randomSignature(real, key, padding)
    if (call !== null) noteUnseeded(call)
  }
  if (typeof real.signOneShot === 'function') {
    binding.signOneShot = (...args: unknown[]): unknown => {
      const [key, [, , padding]] = partAtData(args) // behind the key: data, algorithm, padding, …
      note(key, padding)
      return Reflect.apply(real.signOneShot, real, args)
    }
  }
  const made = {
    Sign: class extends real.Sign {
      sign(...args: unknown[]): unknown {
        const key = args.slice(0, -3) // behind the key: padding, length of the salt, encoding
        note(key, args.at(-3))
        return super.sign(...args)
      }
    },
  }
  binding.Sign = made.Sign
}

/** The jobs that sign, and note it when the signature is random. */
export function signatureJobs(real: Binding): JobClass {
  return unseededJob(real.SignJob, ([mode, ...args]) => {
    if (mode !== real.kSignJobModeSign) return null
    const [key, [, , , padding]] = partAtData(args) // behind the key: data, algorithm, length of the salt, padding, …
    return randomSignature(real, key, padding)
  })
}

const PSS_PADDING = 6

/** The name of a signature that is another one each time; null for one that is always the same. */
function randomSignature(real: Binding, key: KeyArguments, padding: unknown): string | null {
  let type: unknown
  try {
    type = nativeKey(real, real.kKeyTypePrivate, key).getAsymmetricKeyType()
  } catch {
    return null // the call itself will say what is wrong with the key
  }
  if (type === 'ec') return 'crypto.sign with ECDSA'
  if (type === 'dsa' || /^(?:ml|slh)-dsa/.test(String(type)))
    return `crypto.sign with ${String(type).toUpperCase()}`
  return type === 'rsa-pss' || padding === PSS_PADDING ? 'crypto.sign with RSA-PSS' : null
}

/** Diffie-Hellman: a prime that is searched for, and every key, are random. */
export function noteDiffieHellman(binding: Binding, real: Binding): void {
  const noting = (Native: any, name: string): any =>
    class extends Native {
      constructor(...args: unknown[]) {
        super(...args)
        if (typeof args[0] === 'number') noteUnseeded('crypto.createDiffieHellman')
      }

      generateKeys(): unknown {
        noteUnseeded(`${name}.generateKeys`)
        return super.generateKeys()
      }
    }
  binding.DiffieHellman = noting(real.DiffieHellman, 'diffieHellman')
  binding.DiffieHellmanGroup = noting(real.DiffieHellmanGroup, 'diffieHellmanGroup')
}

let notesExports = false

/**
 * The salt of an encrypted private key. Every native key is of one class, which programs do not reach: it notes what the
 * running process exports.
 */
export function noteExports({ KeyObjectHandle }: Binding): void {
  if (notesExports) return
  notesExports = true
  const native = KeyObjectHandle.prototype.export as (...args: unknown[]) => unknown
  KeyObjectHandle.prototype.export = function (this: object, ...args: unknown[]): unknown {
    const cipher = args[2] // behind the format and the type
    if (running !== null && typeof cipher === 'string') noteUnseeded('the encryption of a private key')
    return Reflect.apply(native, this, args)
  }
}
