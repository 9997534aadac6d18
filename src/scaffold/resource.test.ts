import { describe, expect, it } from 'vitest'
import { resourceIn } from './resource.ts'

describe('the keyed values that a program serves', () => {
  it.each([
    [
      "app.use(express.json())\napp.put('/todos/:id', set)\napp.get('/todos/:id', get)",
      { path: '/todos', json: true },
    ],
    ['router.get("/:key", get).put("/:key", set)', { path: '', json: false }],
    [
      'const fastify = Fastify()\nfastify.get(`/v1/users/:id`, get)\nfastify.put(`/v1/users/:id`, set)',
      { path: '/v1/users', json: true },
    ],
    [
      "app.get('/health', ok)\napp.get( '/items/:id', get)\napp.put( '/items/:id', async (c) => save(await c.req.json()))",
      { path: '/items', json: true },
    ],
  ])('are found in %j', (source, resource) => {
    expect(resourceIn(source)).toEqual(resource)
  })

  it.each([
    ["app.get('/todos/:id', get)", 'nothing is written'],
    ["app.get('/todos/:id', get)\napp.put('/users/:id', set)", 'two paths'],
    ["app.get('/todos', get)\napp.put('/todos', set)", 'no key'],
    ["app.get('/users/:user/todos/:id', get)\napp.put('/users/:user/todos/:id', set)", 'two keys'],
    ["http.get('/a')\ncache.put('/a', 1)", 'no routes'],
    ['', 'nothing at all'],
  ])('are not found in %j: %s', (source) => {
    expect(resourceIn(source)).toBeNull()
  })
})
