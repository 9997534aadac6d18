/** A key-value service as a node uses it: lin-kv, seq-kv or lww-kv. */
import type { Body } from '../protocol/envelope.ts'
import { MaelstromError } from './maelstrom-error.ts'

const KEY_DOES_NOT_EXIST = 20
const PRECONDITION_FAILED = 22

export interface KeyValueStore {
  /** The value, or `otherwise` if the key does not exist. */
  read<T>(key: unknown, otherwise: T): Promise<T>
  write(key: unknown, value: unknown): Promise<void>
  /** Whether the value was `from`, and is `to` now. With `create`, a key that does not exist matches too. */
  compareAndSet(key: unknown, from: unknown, to: unknown, create?: boolean): Promise<boolean>
}

type Rpc = (body: { readonly type: string; readonly [key: string]: unknown }) => Promise<Body>

export function keyValueStore(rpc: Rpc): KeyValueStore {
  return {
    async read<T>(key: unknown, otherwise: T) {
      try {
        return (await rpc({ type: 'read', key })).value as T
      } catch (error) {
        if (error instanceof MaelstromError && error.code === KEY_DOES_NOT_EXIST) return otherwise
        throw error
      }
    },
    async write(key, value) {
      await rpc({ type: 'write', key, value })
    },
    async compareAndSet(key, from, to, create = false) {
      try {
        await rpc({ type: 'cas', key, from, to, create_if_not_exists: create })
        return true
      } catch (error) {
        if (error instanceof MaelstromError && error.code === PRECONDITION_FAILED) return false
        throw error
      }
    },
  }
}
