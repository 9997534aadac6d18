/** The resources of a run that is on: its manifest, its supervisor, and the end of both. */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cleanUp } from './cleaning.ts'
import { Manifest, manifestPath } from './manifest.ts'

export class RunResources {
  readonly manifest: Manifest
  /** The folder of everything that the nodes write. */
  readonly folder: string
  readonly #supervisor: ChildProcess

  constructor(run: string) {
    // First: whatever is made from now on is taken away, the manifest too.
    this.#supervisor = superviseRun(manifestPath(run))
    this.manifest = new Manifest(run)
    this.folder = join(tmpdir(), `wavetank-nodes-${run}`)
    this.manifest.add('folders', this.folder)
    mkdirSync(this.folder, { recursive: true })
  }

  /** Takes everything away; returns what could not be. */
  end(): string[] {
    const left = cleanUp(this.manifest.path)
    this.#supervisor.stdin?.end()
    return left
  }
}

function superviseRun(manifest: string): ChildProcess {
  const file = fileURLToPath(
    new URL(`./supervisor${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url),
  )
  const supervisor = spawn(process.execPath, [...process.execArgv, file, manifest], {
    stdio: ['pipe', 'ignore', 'inherit'],
    detached: true,
  })
  supervisor.unref()
  const pipe = supervisor.stdin as typeof supervisor.stdin & { unref?: () => void }
  pipe.on('error', () => {})
  pipe.unref?.()
  return supervisor
}
