import { describe, expect, it } from 'vitest'
import { lookAt, type ProjectLook } from './project-look.ts'

function look(files: Readonly<Record<string, string>>): ProjectLook {
  return lookAt({ read: (path) => files[path] ?? null })
}

describe('a look at a project', () => {
  it('finds the services of a compose file that run Node, with port, environment and number', () => {
    const { programs } = look({
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
        env: { MODE: 'production', REGION: 'eu' },
        count: 3,
        from: 'compose.yaml',
      },
      {
        name: 'workerQueue',
        entry: 'worker.js',
        port: null,
        env: { THREADS: '2' },
        count: 1,
        from: 'compose.yaml',
      },
    ])
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
