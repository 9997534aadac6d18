/** `wavetank explain --dry-run` of a simulation: what would be sent of a project, and what would not. */
import { beforeAll, expect, it } from 'vitest'
import { buildOnce } from './build.ts'
import { throwAwayProjects } from './project.ts'

const SIMULATION = `import { simulation } from 'wavetank'
import { answer } from './answer.js'
export default simulation('forgetful', {
  processes: { server: { entry: './server.js' } },
  workload: {
    clients: 1,
    operations: 6,
    run: ({ operation, hosts }) => operation('get', async () => (await fetch('http://' + hosts.server[0] + ':8080/')).text()),
  },
  invariants: {
    'the answer is right': ({ events }) => {
      for (const { data } of events.fresh('operation')) if (data.type === 'ok' && data.value !== answer) return 'it was ' + data.value
    },
  },
})
`
const SERVER = `import { createServer } from 'node:http'
import installed from 'installed'
let answers = 0
createServer((request, response) => response.end(++answers > 3 ? 'bye' : 'hello')).listen(8080)
`

const projectOf = throwAwayProjects()

beforeAll(buildOnce, 240_000)

it('sends the story and the sources of the program, without packages and other files', async () => {
  const project = projectOf({
    'forgetful.sim.js': SIMULATION,
    'server.js': SERVER,
    'answer.js': "export const answer = 'hello'\n",
    'other.js': 'export const other = 1\n',
    '.env': 'SECRET=1\n',
    'node_modules/installed/package.json': '{ "name": "installed", "main": "index.js" }',
    'node_modules/installed/index.js': 'module.exports = "of a package"\n',
  })
  expect((await project.wavetank('run', 'forgetful', '--seeds', '1', '--no-shrink')).code).toBe(1)
  const { code, stdout } = await project.wavetank('explain', '.wavetank/runs/latest/f1.json', '--dry-run')
  expect(code).toBe(0)
  expect(stdout).toMatch(/<story>\nforgetful {2}level sunny {2}seed 1[\s\S]*← it was bye/)
  expect(stdout).toMatch(/<file path="forgetful\.sim\.js">[\s\S]*<file path="answer\.js">/)
  expect(stdout).toContain('    4  createServer((request, response)')
  expect(stdout).not.toMatch(/of a package|SECRET|other/)

  project.write({ 'server.js': SERVER.replace("'bye'", "'hello'") })
  expect(await project.wavetank('explain', '.wavetank/runs/latest/f1.json', '--dry-run')).toMatchObject({
    code: 254,
    stderr: expect.stringMatching(/does not fail any more/) as string,
  })
})
