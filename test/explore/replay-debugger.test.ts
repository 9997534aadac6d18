/** Replays under `node --inspect-brk`: the debugger stops before the chosen step, or before the failing one. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { InspectorClient } from './inspector-client.ts'
import { DEPOSITS, RaceProject } from './race-project.ts'

const ROOT = new URL('../..', import.meta.url).pathname

describe('a replay in a debugger', () => {
  let project: RaceProject
  let trace: string

  beforeAll(async () => {
    project = new RaceProject({ 'bank.race.ts': DEPOSITS })
    trace = await project.record('bank.race.ts', 'deposits')
  })
  afterAll(() => project.remove())

  /**
   * Replays, goes on at the first line, and returns the step at which it stops then, and whether going on from there
   * ends in the recorded failure. The debugger stays until Node waits for it to leave: one that leaves earlier can take
   * the process down with it.
   */
  async function stopOf(...args: readonly string[]): Promise<{ step: number; reproduced: boolean }> {
    const runtime = ['--inspect-brk=127.0.0.1:0', '--import', `${ROOT}scripts/typescript.mjs`]
    const child = spawn(process.execPath, [...runtime, `${ROOT}src/cli/main.ts`, 'replay', trace, ...args], {
      cwd: project.folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    try {
      const printed = text(child.stdout)
      const debug = await InspectorClient.connect(await addressOf(child.stderr))
      await debug.call('Debugger.enable')
      await debug.call('NodeRuntime.notifyWhenWaitingForDisconnect', { enabled: true })
      await debug.call('Runtime.runIfWaitingForDebugger')
      await debug.event('Debugger.paused')
      await debug.call('Debugger.resume')
      const { callFrames } = await debug.event('Debugger.paused')
      const { callFrameId } = callFrames[0]
      const { result } = await debug.call('Debugger.evaluateOnCallFrame', { callFrameId, expression: 'step' })
      await debug.call('Debugger.resume')
      await debug.event('NodeRuntime.waitingForDisconnect')
      debug.close()
      return { step: result.value as number, reproduced: (await printed).includes('replayed: the same run') }
    } finally {
      child.kill()
    }
  }

  it('stops before the failing step', async () => {
    const { failure } = project.finding(trace)
    expect(await stopOf()).toEqual({ step: failure.step, reproduced: true })
  })

  it('stops before the step asked for, and goes on from there', async () => {
    const { step } = project.finding(trace).criticalPair!.first
    expect(await stopOf('--until', String(step))).toEqual({ step, reproduced: true })
  })
})

async function addressOf(stderr: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface(stderr)) {
    const address = /ws:\S+/.exec(line)?.[0]
    if (address !== undefined) {
      stderr.resume()
      return address
    }
  }
  throw new Error('Node did not say where its inspector listens')
}
