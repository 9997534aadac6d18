/** `wavetank faults`: the fault catalogue. */
import type { Command } from 'commander'
import { didYouMean } from '../../kernel/expectation.ts'
import { UsageError } from '../../kernel/errors.ts'
import { describe, json, output, parse } from '../arguments.ts'
import { write } from '../terminal.ts'

export function command(): Command {
  return describe('faults')
    .argument('[name]', 'one fault, with all that is known of it; without it, all are listed')
    .addOption(json())
    .option('--markdown', 'all of them, as docs/faults.md')
    .addOption(output('the catalogue'))
}

export async function run(args: readonly string[]): Promise<number> {
  const given = parse(command(), args)
  if (given === null) return 0
  const [name] = given.args as (string | undefined)[]
  const options = given.opts<{ json?: boolean; markdown?: boolean; output?: string }>()
  write(await answer(name, options), options.output)
  return 0
}

async function answer(
  name: string | undefined,
  options: { readonly json?: boolean; readonly markdown?: boolean },
): Promise<string> {
  const { FAULTS } = await import('../../faults/catalogue.ts')
  const { faultsMarkdown, faultsText, faultText, ratesOf } = await import('../../report/fault-text.ts')
  const fault = FAULTS.find((each) => each.name === name)
  if (name !== undefined && fault === undefined) {
    const names = FAULTS.map((each) => each.name)
    throw new UsageError(
      'ERR_WAVETANK_FAULT',
      `faults: there is no fault "${name}"${didYouMean(name, names)}`,
    )
  }
  if (options.markdown === true) return faultsMarkdown(FAULTS)
  if (options.json === true) {
    const entries = FAULTS.map((each) => ({ ...each, rates: ratesOf(each) }))
    const chosen = fault === undefined ? entries : entries.find((each) => each.name === name)
    return `${JSON.stringify(chosen, null, 2)}\n`
  }
  return fault === undefined ? faultsText(FAULTS) : faultText(fault)
}
