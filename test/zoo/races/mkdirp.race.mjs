/** mkdirp: two writers make the same folder before they write. Old enough to need `path.exists`, which moved to `fs`. */
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { race } from 'wavetank/vitest'

path.exists = fs.exists
const { mkdirp } = await import('mkdirp')

race('two writers make one folder', async (t) => {
  const make = () => promisify(mkdirp)('/tmp/a/b/c', 0o755)
  await Promise.all([t.task('a', make), t.task('b', make)])
  t.assert(fs.existsSync('/tmp/a/b/c'), 'there is no folder')
})
