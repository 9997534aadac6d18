/**
 * What a scenario runs: a simulation, a race, a Maelstrom test, a simulation on real processes, or any command that
 * writes an evidence file.
 *
 * In a plan a binding is a code span: `simulation kv`, `race test/file.race.ts › two deposits are kept`,
 * `maelstrom -w broadcast --bin ./node.ts --nemesis partition`, `real kv --nodes 3 --nemesis kill`,
 * `command node scripts/check.mjs`.
 */
import { z } from 'zod'

export const BINDING_KINDS = ['simulation', 'race', 'maelstrom', 'real', 'command'] as const

export const bindingSchema = z.strictObject({
  kind: z.enum(BINDING_KINDS).meta({ description: 'what runs the scenario' }),
  target: z.string().min(1).meta({
    description: 'the simulation, the race as file › title, the arguments of the test, or the command',
  }),
})

export type Binding = z.infer<typeof bindingSchema>

/** The code spans that are bindings. */
export function readBindings(text: string): Binding[] {
  return [...text.matchAll(/`([^`]+)`/g)].flatMap(([, span]) => {
    const [, kind, target] = /^(\w+)\s+(.+)$/s.exec(span.trim()) ?? []
    return (BINDING_KINDS as readonly string[]).includes(kind)
      ? [{ kind: kind as Binding['kind'], target: target.trim() }]
      : []
  })
}

/** The first of them; null if there is none. */
export function readBinding(text: string): Binding | null {
  return readBindings(text)[0] ?? null
}

export function printBinding({ kind, target }: Binding): string {
  return `${kind} ${target}`
}

/** File and title of a race. */
export function raceTarget(target: string): { readonly file: string; readonly title: string } | null {
  const parts = target.split(' › ')
  return parts.length < 2 ? null : { file: parts[0].trim(), title: parts.slice(1).join(' › ').trim() }
}
