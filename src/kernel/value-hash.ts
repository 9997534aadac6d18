/**
 * Feeds a value of a program into the hash of the run: what it posts to another thread, publishes or gets from an
 * operation. It reads own data properties and never calls code of the program, so getters stay out. It stops after a
 * number of parts: two values that agree until then count as the same. Of objects that the engine or Node keep inside
 * (blobs, keys), only what they show is seen.
 */
import { types } from 'node:util'
import type { RunHash } from './hash.ts'

const MOST_PARTS = 10_000

export function hashValue(hash: RunHash, value: unknown, verb: string): void {
  const seen = new Map<object, number>()
  let parts = 0
  const visit = (each: unknown): void => {
    if (++parts > MOST_PARTS) return
    if (typeof each !== 'object' || each === null) hash.addText(textOf(each), verb)
    else if (seen.has(each)) hash.add(seen.get(each)!)
    else {
      seen.set(each, seen.size)
      visitObject(each)
    }
  }
  const visitObject = (object: object): void => {
    const prototype = Object.getPrototypeOf(object) as object | null
    if (prototype === Object.prototype || prototype === Array.prototype || prototype === null)
      visitProperties(object)
    else if (ArrayBuffer.isView(object)) {
      const kind = (viewKind.call(object) as string | undefined) ?? 'DataView'
      if (kind !== 'Uint8Array') hash.addText(kind, verb)
      hash.addBytes(new Uint8Array(object.buffer, object.byteOffset, object.byteLength), verb)
    } else if (types.isAnyArrayBuffer(object)) hash.addBytes(new Uint8Array(object), verb)
    else if (types.isDate(object)) {
      const time = dateValue.call(object)
      if (Number.isNaN(time)) hash.addText('no date', verb)
      else hash.addWide(time)
    } else if (types.isMap(object)) {
      hash.add(mapSize.call(object) as number)
      mapEach.call(object, (item, key) => {
        visit(key)
        visit(item)
      })
    } else if (types.isSet(object)) {
      hash.add(setSize.call(object) as number)
      setEach.call(object, visit)
    } else if (types.isRegExp(object)) {
      hash.addText(patternOf.call(object) as string, verb)
      visitProperties(object)
    } else {
      if (types.isBoxedPrimitive(object)) hash.addText(textOf(primitiveOf(object)), verb)
      visitProperties(object)
      if (types.isNativeError(object)) visitError(object, prototype)
    }
  }
  const visitProperties = (object: object): void => {
    if (Array.isArray(object)) hash.add(object.length)
    for (const key of Object.keys(object)) {
      const property = Object.getOwnPropertyDescriptor(object, key)
      if (property === undefined || !('value' in property)) continue
      hash.addText(key, verb)
      visit(property.value)
    }
  }
  /** What an error has without keys for it: its message and its cause, and its class's name by its prototype. */
  const visitError = (error: Error, prototype: object): void => {
    for (const key of ['message', 'cause']) {
      const property = Object.getOwnPropertyDescriptor(error, key)
      if (property !== undefined && property.enumerable !== true && 'value' in property) visit(property.value)
    }
    const name: unknown = Object.getOwnPropertyDescriptor(prototype, 'name')?.value
    if (typeof name === 'string' && name !== 'Error') hash.addText(name, verb)
  }
  visit(value)
}

/** A primitive with its type; of functions and symbols only that. */
function textOf(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return LOOKS_OTHERWISE.test(value) ? `string ${value}` : value
    case 'number':
      return Object.is(value, -0) ? 'number -0' : `number ${value}`
    case 'bigint':
    case 'boolean':
      return `${typeof value} ${value}`
    default:
      return value === null ? 'null' : typeof value
  }
}

/** Texts that could be taken for something else. */
const LOOKS_OTHERWISE = /^(?:null|undefined|function|symbol)$|^(?:number|bigint|boolean|string) /

function primitiveOf(object: object): unknown {
  if (types.isNumberObject(object)) return numberValue.call(object)
  if (types.isBooleanObject(object)) return booleanValue.call(object)
  if (types.isBigIntObject(object)) return bigintValue.call(object)
  return types.isStringObject(object) ? stringValue.call(object) : null // a symbol
}

// Taken now: a program may replace them.
const viewKind = Object.getOwnPropertyDescriptor(
  Object.getPrototypeOf(Int8Array.prototype),
  Symbol.toStringTag,
)!.get!
const patternOf = Object.getOwnPropertyDescriptor(RegExp.prototype, 'source')!.get!
const numberValue = Number.prototype.valueOf
const booleanValue = Boolean.prototype.valueOf
const bigintValue = BigInt.prototype.valueOf
const stringValue = String.prototype.valueOf
const dateValue = Date.prototype.valueOf
const mapEach = Map.prototype.forEach
const setEach = Set.prototype.forEach
const mapSize = Object.getOwnPropertyDescriptor(Map.prototype, 'size')!.get!
const setSize = Object.getOwnPropertyDescriptor(Set.prototype, 'size')!.get!
