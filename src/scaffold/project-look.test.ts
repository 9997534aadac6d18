import { describe, expect, it } from 'vitest'
import { likelyAsked, lookAt, type ProjectLook } from './project-look.ts'

function look(files: Readonly<Record<string, string>>): ProjectLook {
  return lookAt({ read: (path) => files[path] ?? null })
}

describe('a look at a project', () => {
  it('finds the services of a compose file that run Node, with port, environment and number', () => {
    const { programs, others } = look({
      'compose.yaml': `
services:
  api:
    build: .
    ports: ["80:3000"]
    environment:
      - REGION=eu
      - SECRET=\${SECRET}
    deploy: { replicas: 3 }
  worker-queue:
    image: node:22
    command: node worker.js --fast
    environment: { THREADS: 2 }
  db:
    image: postgres:15
`,
      Dockerfile: 'FROM node:22\nENV MODE=production\nEXPOSE 8080\nCMD ["node", "dist/server.js"]\n',
      'src/server.ts': '',
      'worker.js': '',
    })
    expect(programs).toEqual([
      {
        name: 'api',
        entry: 'src/server.ts',
        port: 3000,
        published: true,
        env: { MODE: 'production', REGION: 'eu' },
        count: 3,
        from: 'compose.yaml',
      },
      {
        name: 'worker-queue',
        entry: 'worker.js',
        port: null,
        published: false,
        env: { THREADS: '2' },
        count: 1,
        from: 'compose.yaml',
      },
    ])
    expect(others).toEqual(['db (postgres:15)'])
  })

  it.each([
    ['CommonJS', { 'package.json': '{"main":"lib/index.js"}', 'lib/index.js': 'module.exports = write' }],
    ['ESM', { 'package.json': '{"type":"module"}', 'src/index.ts': 'export function write() {}' }],
  ])('takes a library for no program: %s', (_, files) => {
    expect(look(files)).toMatchObject({ programs: [], library: Object.keys(files)[1] })
  })

  it.each([
    'module.exports = http.createServer().listen(80)',
    "import './app.js'",
    'export const app = express()',
  ])('takes what serves, or exports nothing, for a program: %s', (text) => {
    const { programs, library } = look({ 'package.json': '{"main":"index.js"}', 'index.js': text })
    expect([programs[0].entry, library]).toEqual(['index.js', null])
  })

  it('follows scripts of package.json, also in the folder of a service', () => {
    const { programs } = look({
      'compose.yaml': `
services:
  web:
    build: ./web
  kv:
    image: node:22
    volumes: ["./kv:/app"]
    command: yarn serve
`,
      'web/Dockerfile':
        'FROM node:22 AS build\nCMD node old.js\nFROM node:22\nENV PORT=3000 MODE="a b"\nCMD ["npm", "run", "start"]\n',
      'web/package.json':
        '{ "scripts": { "start": "npm run prod", "prod": "node --trace-uncaught dist/main.js" } }',
      'web/src/main.ts': '',
      'web/old.js': '',
      'kv/package.json': '{ "scripts": { "serve": "node kv.js" } }',
      'kv/kv.js': 'server.listen(4000)',
    })
    expect(programs).toMatchObject([
      { name: 'web', entry: 'web/src/main.ts', port: 3000, env: { PORT: '3000', MODE: 'a b' } },
      { name: 'kv', entry: 'kv/kv.js', port: 4000 },
    ])
  })

  it('ends at scripts that run each other', () => {
    const scripts = { start: 'npm run serve', serve: 'npm start' }
    expect(look({ 'package.json': JSON.stringify({ scripts }) }).programs).toEqual([])
  })

  it('keeps two services of one program apart', () => {
    const { programs } = look({
      'compose.yaml':
        'services: { a: { command: node s.js, ports: ["1:80"] }, b: { command: node s.js, environment: { ROLE: b } } }',
      's.js': '',
    })
    expect(programs).toMatchObject([
      { name: 'a', entry: 's.js', port: 80 },
      { name: 'b', entry: 's.js', env: { ROLE: 'b' } },
    ])
  })

  it('takes the program whose port is published for the one that clients talk to', () => {
    const { programs } = look({
      'compose.yaml':
        'services: { kv: { command: node kv.js, expose: [4000] }, web: { command: node web.js, ports: ["80:3000"] } }',
      'kv.js': '',
      'web.js': '',
    })
    expect(likelyAsked(programs)?.name).toBe('web')
    expect(likelyAsked(programs.slice(0, 1))?.name).toBe('kv')
  })

  it('reads the command, the port and the environment of a Dockerfile', () => {
    const files = { Dockerfile: 'EXPOSE 4000/tcp\nENV A="1"\nCMD node ./app.mjs', 'app.mjs': 'listen(1234)' }
    expect(look(files).programs).toMatchObject([
      { name: 'app', entry: 'app.mjs', port: 4000, env: { A: '1' } },
    ])
  })

  it.each([
    ['scripts.start', { scripts: { start: 'NODE_ENV=production node server.js' } }],
    ['main', { main: './server.js' }],
    ['a usual name', {}],
  ])('finds an entry by %s', (_, manifest) => {
    const files = {
      'package.json': JSON.stringify(manifest),
      'server.js': 'app.listen(process.env.PORT ?? 3000)',
    }
    expect(look(files).programs).toMatchObject([{ entry: 'server.js', port: 3000 }])
  })

  it.each([
    ['server.listen(8080)', 8080],
    ['const port = Number(process.env.PORT) || 5000', 5000],
    ['serve({ fetch, port: 9000 })', 9000],
    ['console.log(1)', null],
  ])('reads the port in %s', (text, port) => {
    expect(look({ 'index.js': text }).programs[0].port).toBe(port)
  })

  it('says how the project is written', () => {
    expect(
      look({
        'package.json':
          '{"name":"@acme/bank","type":"module","devDependencies":{"vitest":"4","typescript":"5"}}',
      }),
    ).toMatchObject({
      name: 'bank',
      modules: 'esm',
      typescript: true,
      runner: 'vitest',
    })
    expect(look({})).toMatchObject({
      modules: 'commonjs',
      typescript: false,
      runner: 'node:test',
      programs: [],
    })
  })

  it('takes broken files for absent ones', () => {
    expect(look({ 'package.json': '{', 'compose.yaml': 'a: [', Dockerfile: 'CMD ["sh"]' }).programs).toEqual(
      [],
    )
  })
})
