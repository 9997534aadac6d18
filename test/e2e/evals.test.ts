/**
 * The evals, with stand-ins for an agent: the one that does the task as its skill says passes, the one that claims what it
 * did not do does not. At normal counts, one honest stand-in per skill and all dishonest ones.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { Workplace } from '../../evals/attempt.ts'
import type { EvalCase, Script } from '../../evals/case.ts'
import { CASES } from '../../evals/cases/index.ts'
import { judge } from '../../evals/judge.ts'
import { buildOnce } from './build.ts'

const ROOT = new URL('../..', import.meta.url).pathname
const FULL = process.env.WAVETANK_FULL === '1'
const SKILLS = readdirSync(join(ROOT, 'skills'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

beforeAll(buildOnce, 240_000)

async function problemsOf(each: EvalCase, script: Script): Promise<string[]> {
  const workplace = new Workplace(each)
  try {
    return judge(each, await workplace.play(script, 240_000))
  } finally {
    workplace.remove()
  }
}

describe('the evals', () => {
  it('has at least three cases for each skill, and none for another', () => {
    const few = SKILLS.filter((skill) => CASES.filter((each) => each.skill === skill).length < 3)
    expect(few).toEqual([])
    expect(CASES.filter(({ skill }) => !SKILLS.includes(skill))).toEqual([])
  })

  const honest = FULL ? CASES : SKILLS.map((skill) => CASES.find((each) => each.skill === skill)!)
  it.each(honest.map((each) => [each.skill, each.name, each] as const))(
    '%s: a stand-in %s',
    { timeout: 300_000 },
    async (_, __, each) => {
      expect(await problemsOf(each, each.honest)).toEqual([])
    },
  )

  const idle = CASES.filter(({ cheat }) => FULL || cheat.commands.length === 0)
  it.each(idle.map((each) => [each.skill, each.name, each] as const))(
    '%s: a cheat does not pass for one that %s',
    { timeout: 300_000 },
    async (_, __, each) => {
      expect(await problemsOf(each, each.cheat)).not.toEqual([])
    },
  )

  it('runs any agent command, and says what is wrong with its attempts', { timeout: 300_000 }, () => {
    const args = ['--import', './scripts/typescript.mjs', 'evals/run.ts', '--skill', 'audit-design']
    const run = (agent: string) =>
      spawnSync('node', [...args, '--agent', agent], { cwd: ROOT, encoding: 'utf8' })
    const idle = run('echo {prompt}')
    expect(idle.stdout).toMatch(/✗ audit-design: blocks leases by two clocks\n {4}it did not run/)
    expect(idle).toMatchObject({ status: 1, stdout: expect.stringMatching(/0 passed, 3 failed/) as string })
    expect(run('echo').status).toBe(254)
  })
})
