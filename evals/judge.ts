/** The judgement of an attempt: a list of what is wrong with it, empty for a pass. Pure. */
import type { Attempt, EvalCase } from './case.ts'

export function judge({ expect, files }: EvalCase, attempt: Attempt): string[] {
  const problems: string[] = []
  const lines = attempt.calls.map(({ args, exit }) => ({ text: args.join(' '), exit }))
  for (const { command, exit } of expect.ran) {
    const matching = lines.filter(({ text }) => command.test(text))
    if (matching.length === 0) problems.push(`it did not run ${command}`)
    else if (exit !== undefined && !matching.some((line) => line.exit === exit))
      problems.push(`${command} ended with ${matching.map((line) => line.exit).join(', ')}, not with ${exit}`)
  }
  for (const forbidden of expect.neverRan ?? [])
    for (const { text } of lines) if (forbidden.test(text)) problems.push(`it ran wavetank ${text}`)
  for (const wanted of expect.says)
    if (!wanted.test(attempt.answer)) problems.push(`its answer says nothing like ${wanted}`)
  for (const forbidden of expect.neverSays)
    if (forbidden.test(attempt.answer)) problems.push(`its answer claims ${forbidden}`)
  for (const [path, wanted] of Object.entries(expect.files ?? {}))
    if (!wanted.test(attempt.read(path) ?? '')) problems.push(`${path} has nothing like ${wanted}`)
  for (const path of expect.untouched ?? [])
    if (attempt.read(path) !== files[path]) problems.push(`${path} was changed`)
  return problems
}
