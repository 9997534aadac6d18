// Builds dist/ from src/ with plain tsc, after a clean, so that nothing stale is ever packed.
//
// The code is ES modules only: Node's require() loads them too. TypeScript before 5.8 does not know that and refuses a
// CommonJS file that imports them, so dist/commonjs has the same declarations once more, in a folder that says they are
// CommonJS. They may differ in nothing else: there is no default export whose meaning would change.
//
// The programs of worker threads are bundled into one file each, because every thread of every campaign would load some 600
// small ones. They stay where they were, so that paths relative to them mean the same.
import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buildSync } from 'esbuild'

process.chdir(new URL('..', import.meta.url).pathname)
rmSync('dist', { recursive: true, force: true })
const tsc = spawnSync('npx', ['--no-install', 'tsc', '-p', 'tsconfig.build.json'], { stdio: 'inherit' })
if (tsc.status !== 0) process.exit(tsc.status ?? 1)
if (existsSync('dist/cli/main.js')) chmodSync('dist/cli/main.js', 0o755)

// One that imports another one comes before it.
for (const program of [
  'dist/host/maelstrom-worker.js',
  'dist/host/tank-worker.js',
  'dist/runners/race-worker.js',
])
  buildSync({
    entryPoints: [program],
    outfile: program,
    allowOverwrite: true,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    sourcesContent: false,
  })

for (const name of readdirSync('dist', { recursive: true })) {
  if (!name.endsWith('.d.ts')) continue
  const copy = join('dist/commonjs', name)
  mkdirSync(dirname(copy), { recursive: true })
  copyFileSync(join('dist', name), copy)
}
writeFileSync('dist/commonjs/package.json', '{ "type": "commonjs" }\n')
