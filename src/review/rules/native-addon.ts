/** Native addons, and what loads one. */
import { callsIn, loadsOf } from '../imports.ts'
import type { Rule } from '../rule.ts'

export const nativeAddon: Rule = {
  name: 'native-addon',
  severity: 'block',
  text: 'A native addon is loaded.',
  why: 'Machine code reaches past the tank: its threads, clocks and files are those of the real machine.',
  fix: "If it only computes, list its package in `addons`; else replace it in the tank by `externals: { name: './stand-in.js' }`.",
  *find(file, { nativeAddon: addonOf }) {
    for (const { specifier, node } of loadsOf(file)) {
      const addon = specifier.endsWith('.node') ? 'is machine code' : addonOf(specifier, file.path)
      if (addon !== null) yield { node, found: `"${specifier}" ${addon}` }
    }
    for (const { node, path } of callsIn(file.nodes)) {
      if (path.join('.') === 'process.dlopen') yield { node, found: 'process.dlopen() loads machine code' }
    }
  },
}
