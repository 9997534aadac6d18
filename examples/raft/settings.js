// @ts-check
/**
 * A server's settings, from environment variables; the README has the table. A setting that is missing or malformed
 * ends the start with one sentence that names it.
 *
 * @import { Members, RaftOptions } from './types.ts'
 */
import { DEFAULTS } from './core.js'

/** @param {NodeJS.ProcessEnv} env */
export function settingsFrom(env) {
  return {
    id: required(env, 'RAFT_ID'),
    cluster: required(env, 'RAFT_CLUSTER'),
    address: required(env, 'RAFT_PEER_ADDRESS'),
    apiAddress: required(env, 'RAFT_API_ADDRESS'),
    data: required(env, 'RAFT_DATA'),
    bootstrap: parseMembers(env.RAFT_MEMBERS ?? ''),
    trace: env.RAFT_TRACE === '1',
    options: optionsFrom(env),
  }
}

/** @param {NodeJS.ProcessEnv} env @param {string} name */
function required(env, name) {
  const value = env[name]
  if (value === undefined || value === '') throw new Error(`set ${name}`)
  return value
}

/** `id=peer-host:port/api-host:port,…` @param {string} text @returns {Members} */
export function parseMembers(text) {
  /** @type {Record<string, { peer: string, api: string }>} */
  const members = {}
  for (const part of text.split(',').filter((each) => each !== '')) {
    const [, id, peer, api] = /^([\w.-]+)=([^/]+:\d+)\/([^/]+:\d+)$/.exec(part) ?? []
    if (id === undefined) throw new Error(`RAFT_MEMBERS: expected id=host:port/host:port, not '${part}'`)
    members[id] = { peer, api }
  }
  return members
}

/** `RAFT_ELECTION_MS` and the like: the names of the options. @param {NodeJS.ProcessEnv} env @returns {RaftOptions} */
function optionsFrom(env) {
  const options = Object.entries(DEFAULTS).map(([name, usual]) => {
    const variable = `RAFT_${name.replace(/[A-Z]/g, '_$&').toUpperCase()}`
    const value = Number(env[variable] ?? usual)
    if (!Number.isInteger(value) || value < (name === 'trailingEntries' ? 0 : 1))
      throw new Error(`${variable}: expected a whole number above 0, not '${env[variable]}'`)
    return [name, value]
  })
  return Object.fromEntries(options)
}
