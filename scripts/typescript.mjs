// node --import ./scripts/typescript.mjs FILE.ts: runs TypeScript sources of this repository directly, on any supported
// Node, for benches and tools that are not part of the built package.
import { readFileSync } from 'node:fs'
import * as module from 'node:module'
import { fileURLToPath } from 'node:url'
import { transformSync } from 'esbuild'

/** A synchronous `load` hook; the same function serves the off-thread form. */
export function load(url, context, nextLoad) {
  if (!url.startsWith('file:') || !url.endsWith('.ts') || url.includes('/node_modules/'))
    return nextLoad(url, context)
  const { code } = transformSync(readFileSync(fileURLToPath(url), 'utf8'), {
    loader: 'ts',
    format: 'esm',
    target: 'node20',
    sourcefile: fileURLToPath(url),
    sourcemap: 'inline',
  })
  return { format: 'module', source: code, shortCircuit: true }
}

if (module.registerHooks !== undefined) module.registerHooks({ load })
else if (!import.meta.url.endsWith('#hooks')) module.register(`${import.meta.url}#hooks`)
