// @ts-check
/**
 * Ids that follow from what they stand for: of shards, 64 bits in hexadecimal digits, and of the payload of an operation.
 * Every server computes the same ones, and so does an operation that is sent again.
 *
 * @import { Command } from './types.ts'
 */
import { createHash } from 'node:crypto'

const ID_CHARS = 16

/** The id of a shard that a run begins with. @param {number} at */
export function rootId(at) {
  return at.toString(16).padStart(ID_CHARS, '0')
}

/** The same operation always makes the same child. The top bit marks the ids of children. @param {Command} command @param {string} kind @param {number} at */
export function derivedId({ run, shard, operation }, kind, at) {
  const id = digest([run, shard, operation, kind, at]).slice(0, ID_CHARS)
  return (parseInt(id[0], 16) | 8).toString(16) + id.slice(1)
}

/** @param {string} id */
export function isDerived(id) {
  return id[0] >= '8'
}

/** The order in which a client wrote the fields does not matter. @param {string} op @param {object} payload */
export function hashOf(op, payload) {
  return digest([op, payload]).slice(0, 16)
}

/** @param {unknown} value */
function digest(value) {
  return createHash('sha256').update(JSON.stringify(value, inOrder)).digest('hex')
}

/** @param {string} _name @param {unknown} value */
function inOrder(_name, value) {
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isRecord ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value
}
