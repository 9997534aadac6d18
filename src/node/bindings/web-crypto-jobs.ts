/**
 * WebCrypto's mode of a crypto job, which Node 24 and later have: the native job makes a promise of what a program gets,
 * keys included. Here it is the synchronous job, and its result is made into the same: what `KeyGenJob`,
 * `KEMEncapsulateTraits` and `CryptoJob::AfterThreadPoolWork` do in C++.
 */
import { takeInternals, type Binding } from '../library/internals.ts'

type MakeKey = (handle: unknown, algorithm: unknown, usages: unknown, extractable: unknown) => unknown

interface WebForm {
  /** How many of the last arguments say what to make of the result; the synchronous job does not take them. */
  readonly settings: number
  /** What it takes in their place. */
  readonly instead: readonly unknown[]
  result(value: any, settings: readonly unknown[], key: MakeKey): unknown
}

const KEY: WebForm = {
  settings: 3,
  instead: [true],
  result: (handle, [algorithm, usages, extractable], key) => key(handle, algorithm, usages, extractable),
}

const KEY_PAIR: WebForm = {
  settings: 4,
  instead: [],
  result: ([publicKey, privateKey], [algorithm, publicUsages, privateUsages, extractable], key) => ({
    publicKey: key(publicKey, algorithm, publicUsages, true),
    privateKey: key(privateKey, algorithm, privateUsages, extractable),
  }),
}

const ENCAPSULATION: WebForm = {
  settings: 0,
  instead: [],
  result: ([sharedKey, ciphertext]) => ({ sharedKey: bare(sharedKey), ciphertext: bare(ciphertext) }),
}

const PLAIN: WebForm = { settings: 0, instead: [], result: (value) => bare(value) }

function formOf(job: string): WebForm {
  if (job === 'SecretKeyGenJob') return KEY
  if (job.endsWith('KeyPairGenJob')) return KEY_PAIR
  return job === 'KEMEncapsulateJob' ? ENCAPSULATION : PLAIN
}

/** WebCrypto gives out no views. */
function bare(value: unknown): unknown {
  return ArrayBuffer.isView(value) ? value.buffer : value
}

/** The arguments of a WebCrypto job as the synchronous job of that name takes them, and what becomes of its value. */
export function webForm(job: string, args: readonly unknown[]): [unknown[], (value: unknown) => unknown] {
  const form = formOf(job)
  const border = args.length - form.settings
  const settings = args.slice(border)
  return [[...args.slice(0, border), ...form.instead], (value) => form.result(value, settings, makeKey)]
}

function makeKey(...key: Parameters<MakeKey>): unknown {
  const { InternalCryptoKey } = takeInternals().require('internal/crypto/keys') as Binding
  return new InternalCryptoKey(...key)
}

/** The reason with which a promise of WebCrypto is rejected. */
export function webError(cause: unknown): unknown {
  return new DOMException('The operation failed for an operation-specific reason', {
    name: 'OperationError',
    cause,
  } as unknown as string)
}

/** Settles a promise of WebCrypto; a `then` that a program put on a prototype is not asked. */
export function withoutThen(value: unknown, resolve: (value: unknown) => void): void {
  const hide = typeof value === 'object' && value !== null && !Object.hasOwn(value, 'then')
  // oxlint-disable-next-line unicorn/no-thenable -- hides it, for the length of the next line
  if (hide) Object.defineProperty(value, 'then', { value: undefined, configurable: true })
  resolve(value)
  if (hide) delete (value as { then?: unknown }).then
}
