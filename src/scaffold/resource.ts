/**
 * The keyed values that an HTTP program serves, as far as its source shows them: one path that is read with GET and
 * written with PUT, as in `app.get('/todos/:id', …)` and `app.put('/todos/:id', …)`.
 */

export interface Resource {
  /** What stands before the key: `/todos` for `/todos/:id`, and nothing for `/:key`. */
  readonly path: string
  /** The program reads bodies as JSON, so a value is sent as `{ "value": 1 }`. */
  readonly json: boolean
}

/** A program without a framework, or whose routes are elsewhere: `PUT /KEY` with the value as its body. */
export const PLAIN_RESOURCE: Resource = { path: '', json: false }

/** express, fastify, koa-router, hono and their like declare routes so. */
const ROUTE = /\.(get|put)\s*\(\s*(['"`])(\/[^'"`]*)\2/g
/** One parameter, at the end: `/todos/:id`, `/:key`. */
const KEYED = /^((?:\/[\w.-]+)*)\/:\w+$/
const JSON_BODIES = /\bexpress\.json\(|\bbodyParser\.json\(|\bkoa-?body(parser)?\b|\bfastify\b|\.req\.json\(/i

/** Null if the source shows no path that is both read and written. */
export function resourceIn(source: string): Resource | null {
  const methods = new Map<string, Set<string>>()
  for (const [, method, , path] of source.matchAll(ROUTE))
    methods.set(path, (methods.get(path) ?? new Set()).add(method))
  for (const [path, found] of methods) {
    const keyed = KEYED.exec(path)
    if (keyed !== null && found.size === 2) return { path: keyed[1], json: JSON_BODIES.test(source) }
  }
  return null
}
