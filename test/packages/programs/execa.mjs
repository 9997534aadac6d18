import { execa, execaNode } from 'execa'
import { fileURLToPath } from 'node:url'

const child = fileURLToPath(new URL('../support/execa-child.mjs', import.meta.url))
const good = await execa(process.execPath, [child, 'a', 'b'], { input: 'input', env: { PLACE: 'tank' } })
console.log(good.stdout, '|', good.stderr, good.exitCode)
const bad = await execaNode(child, ['c'], { input: 'fail', env: { PLACE: 'tank' }, reject: false })
console.log(bad.exitCode, bad.failed, bad.stdout)
const killed = execa(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { reject: false, timeout: 300 })
const { timedOut, signal } = await killed
console.log(timedOut, signal)
