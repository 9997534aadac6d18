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
  'a time': "fs.writeFileSync('/data/a', ''); fs.utimesSync('/data/a', word === 'one' ? 1 : 2, 1)",
  'a length': "fs.writeFileSync('/data/a', '12'); fs.truncateSync('/data/a', word === 'one' ? 1 : 0)",
  'an argument of a child': "child.execFile(process.execPath, ['-e', '0', word])",
  'the environment of a child': "child.execFile(process.execPath, ['-e', '0'], { env: { word } })",
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
      const { MessageChannel, BroadcastChannel } = own
      const names = ['process', 'fs', 'child', 'threads', 'MessageChannel', 'BroadcastChannel', 'word']
      // oxlint-disable-next-line typescript/no-implied-eval
      new Function(...names, act)(process, fs, child, threads, MessageChannel, BroadcastChannel, word)
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
