/**
 * What a packet must look like. Anything may arrive at a port: a packet of a stranger is dropped before the protocol sees
 * it. A packet that is well-formed and lies is believed.
 */
const isText = (value) => typeof value === 'string'
const isCount = (value) => Number.isSafeInteger(value) && value >= 0
const isObject = (value) => typeof value === 'object' && value !== null
const isMessage = (value) => isObject(value) && isText(value.id) && 'data' in value
const isNews = (value) => {
  if (!isObject(value) || !isText(value.id) || !isText(value.address)) return false
  return isCount(value.incarnation) && ['alive', 'suspect', 'dead', 'left'].includes(value.status)
}
const listOf = (isGood) => (value) => Array.isArray(value) && value.every(isGood)

/** @type {Record<string, Record<string, (value: any) => boolean>>} */
const PARTS = {
  ping: { to: isText, sequence: isCount },
  'ping-req': {
    sequence: isCount,
    target: (value) => isObject(value) && isText(value.id) && isText(value.address),
  },
  ack: { sequence: isCount },
  nack: { sequence: isCount },
  gossip: {},
  'push-pull': {
    direction: (value) => value === 'push' || value === 'pull',
    members: listOf((value) => isNews(value) && value.forMs >= 0),
    known: listOf(isText),
    asked: (value) => value === undefined || isText(value),
  },
  messages: { messages: listOf(isMessage) },
}

/** A few words, or null for a packet that is well-formed. @param {any} packet */
export function whatIsWrong(packet) {
  if (!isObject(packet) || !isText(packet.type)) return 'has no type'
  const parts = Object.hasOwn(PARTS, packet.type) ? PARTS[packet.type] : null
  if (parts === null) return `has the unknown type '${packet.type}'`
  if (!isText(packet.from) || !isText(packet.address)) return 'has no sender'
  if (!listOf((value) => isMessage(value) || isNews(value))(packet.rumours ?? []))
    return 'has malformed rumours'
  const bad = Object.keys(parts).find((name) => !parts[name](packet[name]))
  return bad === undefined ? null : `of type ${packet.type} has a malformed ${bad}`
}
