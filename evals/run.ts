/**
 * `npm run evals -- --agent 'my-agent -p {prompt}' [--skill NAME] [--timeout-s 600]`: every case against an agent. The
 * prompt replaces `{prompt}`, quoted for the shell. Exit code 0 if every case passes, 1 otherwise, 254 for wrong usage.
 */
import { parseArgs } from 'node:util'
import { Workplace } from './attempt.ts'
import { CASES } from './cases/index.ts'
import { judge } from './judge.ts'

const { values } = parseArgs({
  options: {
    agent: { type: 'string' },
    skill: { type: 'string' },
    'timeout-s': { type: 'string', default: '600' },
  },
})
const { agent, skill } = values
const cases = CASES.filter((each) => skill === undefined || each.skill === skill)
const timeoutMs = Number(values['timeout-s']) * 1000
if (agent === undefined || !agent.includes('{prompt}') || cases.length === 0 || !(timeoutMs > 0)) {
  const skills = [...new Set(CASES.map((each) => each.skill))].join(', ')
  console.error(
    `evals: expected --agent 'COMMAND {prompt}', a --skill of ${skills}, and --timeout-s of a positive number`,
  )
  process.exit(254)
}

let failed = 0
for (const each of cases) {
  const workplace = new Workplace(each)
  await workplace.run('npx wavetank skills install', timeoutMs, true)
  const quoted = `'${each.prompt.replace(/'/g, `'\\''`)}'`
  const answer = await workplace.run(agent.replace('{prompt}', quoted), timeoutMs)
  const problems = judge(each, workplace.attempt(answer))
  workplace.remove()
  if (problems.length > 0) failed++
  console.log(`${problems.length === 0 ? '✓' : '✗'} ${each.skill}: ${each.name}`)
  for (const problem of problems) console.log(`    ${problem}`)
}
console.log(`${cases.length - failed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
