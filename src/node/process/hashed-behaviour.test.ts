/** What a program does is part of the hash of its run: two runs that differ in it only have different hashes. */
import { describe, expect, it } from 'vitest'
import { runPrograms } from './programs.test-support.ts'

/** One statement of a program, with the word that differs. */
const ACTS: Readonly<Record<string, string>> = {
  'standard output': 'process.stdout.write(word)',
  'standard error': 'process.stderr.write(word)',
  'the exit code': "process.exitCode = word === 'one' ? 1 : 2",
  'the name of a file': "fs.writeFileSync('/data/' + word, '')",
  'the new name of a file': "fs.writeFileSync('/data/a', ''); fs.renameSync('/data/a', '/data/' + word)",
  'the name of a link': "fs.writeFileSync('/data/a', ''); fs.linkSync('/data/a', '/data/' + word)",
  'a mode': "fs.writeFileSync('/data/a', ''); fs.chmodSync('/data/a', word === 'one' ? 0o600 : 0o644)",
  'the mode of a new file': "fs.writeFileSync('/data/a', '', { mode: word === 'one' ? 0o600 : 0o644 })",
  'the mode of a new folder': "fs.mkdirSync('/data/a', word === 'one' ? 0o700 : 0o755)",
  'a mask of modes': "process.umask(word === 'one' ? 0o77 : 0o22); fs.writeFileSync('/data/a', '')",
  'a folder in place of a file': "word === 'one' ? fs.mkdirSync('/data/a') : fs.writeFileSync('/data/a', '')",
  'where a symbolic link leads': "fs.symlinkSync(word, '/data/a')",
  'a time': "fs.writeFileSync('/data/a', ''); fs.utimesSync('/data/a', word === 'one' ? 1 : 2, 1)",
  'a length': "fs.writeFileSync('/data/a', '12'); fs.truncateSync('/data/a', word === 'one' ? 1 : 0)",
  'an argument of a child': "child.execFile(process.execPath, ['-e', '0', word])",
  'the environment of a child': "child.execFile(process.execPath, ['-e', '0'], { env: { word } })",
  'a signal that is sent':
    "process.on('SIGUSR2', () => {}); process.on('SIGHUP', () => {}); process.kill(process.pid, word === 'one' ? 'SIGUSR2' : 'SIGHUP')",
  'a signal to a child':
    "const one = child.execFile(process.execPath, ['-e', '0']); setImmediate(() => one.kill(word === 'one' ? 0 : 'SIGCONT'))",
  'the environment of a thread': "new threads.Worker('0', { eval: true, env: { word } })",
  'the name of a thread': "new threads.Worker('0', { eval: true, name: word })",
  'a message to a port':
    'const { port1, port2 } = new MessageChannel(); port2.unref(); port1.postMessage({ word: [word] }); port1.close()',
  'a message to a channel':
    "const channel = new BroadcastChannel('x'); channel.postMessage(word); channel.close()",
  'a message to a worker':
    "const worker = new threads.Worker('0', { eval: true }); worker.postMessage(new Map([[word, 1]])); worker.unref()",
}

async function hashOf(act: string, word: string): Promise<string> {
  const { hash } = await runPrograms({
    main: ({ process, require, globalThis: own }) => {
      const [fs, child, threads] = ['node:fs', 'node:child_process', 'node:worker_threads'].map((id) =>
        require(id),
      )
      const { MessageChannel, BroadcastChannel, setImmediate } = own
      const known = { process, fs, child, threads, MessageChannel, BroadcastChannel, setImmediate, word }
      // oxlint-disable-next-line typescript/no-implied-eval
      new Function(...Object.keys(known), act)(...Object.values(known))
    },
  })
  return hash
}

describe('a run is another run if a program changes', () => {
  it.each(Object.keys(ACTS))('%s', async (name) => {
    const one = await hashOf(ACTS[name], 'one')
    expect(await hashOf(ACTS[name], 'one')).toBe(one)
    expect(await hashOf(ACTS[name], 'two')).not.toBe(one)
  })
})
