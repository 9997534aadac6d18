/**
 * Settings of classes that all processes share with the host, which programs simply assign: the greatest number of
 * listeners, the high-water marks of streams, how values are inspected, a mocked clock. Each is a process's own: it is
 * looked at whenever a process stops running, and a process that has chosen one gets it back in each of its steps.
 */
import buffer, { Buffer } from 'node:buffer'
import { EventEmitter } from 'node:events'
import stream from 'node:stream'
import { inspect } from 'node:util'
import { VirtualDate } from '../globals/date.ts'
import { VirtualMath } from '../globals/math.ts'
import { registers } from '../library/registers.ts'
import { stackDepthIsDefault } from './stack-depth.ts'

const options = inspect.defaultOptions as Record<string, unknown>
const optionNames = Object.keys(options)
const optionValues = optionNames.map((name) => options[name])
const { now } = VirtualDate
const { random } = VirtualMath
const { getDefaultHighWaterMark, setDefaultHighWaterMark } = stream
const MAX_LISTENERS = EventEmitter.defaultMaxListeners
const CAPTURES = EventEmitter.captureRejections
const POOL_SIZE = Buffer.poolSize
const { INSPECT_MAX_BYTES } = buffer
const BYTES = getDefaultHighWaterMark(false)
const OBJECTS = getDefaultHighWaterMark(true)

/** A property that programs assign. */
function property(holder: any, name: string): void {
  registers.add({
    get: () => holder[name],
    set: (value) => {
      holder[name] = value
    },
    initial: holder[name],
  })
}

property(EventEmitter, 'defaultMaxListeners')
property(EventEmitter, 'captureRejections')
property(Buffer, 'poolSize')
property(buffer, 'INSPECT_MAX_BYTES')
property(VirtualDate, 'now')
property(VirtualMath, 'random')
for (const name of optionNames) property(options, name)
for (const objects of [false, true])
  registers.add({
    get: () => getDefaultHighWaterMark(objects),
    set: (value) => setDefaultHighWaterMark(objects, value as number),
    initial: getDefaultHighWaterMark(objects),
  })

/** To be called when a process stops running: it may have chosen something. */
export function noteSettings(owner: object): void {
  if (registers.dirty || areDefault()) return
  registers.dirty = true
  registers.own(owner)
}

function areDefault(): boolean {
  return (
    stackDepthIsDefault() &&
    VirtualDate.now === now &&
    VirtualMath.random === random &&
    EventEmitter.defaultMaxListeners === MAX_LISTENERS &&
    EventEmitter.captureRejections === CAPTURES &&
    Buffer.poolSize === POOL_SIZE &&
    buffer.INSPECT_MAX_BYTES === INSPECT_MAX_BYTES &&
    getDefaultHighWaterMark(false) === BYTES &&
    getDefaultHighWaterMark(true) === OBJECTS &&
    optionsAreDefault()
  )
}

function optionsAreDefault(): boolean {
  for (let i = 0; i < optionNames.length; i++) if (options[optionNames[i]] !== optionValues[i]) return false
  return true
}
