import { describe, expect, it } from 'vitest'
import type { ExitStatus, Program, SimProcess } from './process.ts'
import { World } from './world.ts'

/** A program that ticks every millisecond and logs what happens to it. */
function ticker(log: string[]): Program {
  return {
    boot(process: SimProcess) {
      const { kernel, actor, boots } = process
      let ticks = 0
      const tick = (): void => {
        log.push(`boot ${boots} tick ${++ticks}`)
        kernel.schedule(actor, 'timer', 1_000, tick)
      }
      kernel.schedule(actor, 'timer', 1_000, tick)
      return {
        signal(name) {
          log.push(`boot ${boots} ${name}`)
          if (name === 'SIGTERM') process.exit({ code: 0, signal: null })
        },
        destroy: () => log.push(`boot ${boots} destroyed`),
      }
    },
  }
}

function setUp(): {
  world: World
  process: SimProcess
  log: string[]
  exits: ExitStatus[]
  pass: (us: number) => void
} {
  const world = new World({ seed: 1 })
  const host = world.addHost('a')
  const log: string[] = []
  const exits: ExitStatus[] = []
  const process = world.addProcess('ticker', host, ticker(log))
  process.onExit((status) => exits.push(status))
  const pass = (us: number): void => {
    world.kernel.schedule(host.actor, 'pass', us, () => world.kernel.stop())
    world.kernel.run()
  }
  return { world, process, log, exits, pass }
}

describe('a process', () => {
  it('runs from start to kill, and nothing of it runs afterwards', () => {
    const { process, log, exits, pass, world } = setUp()
    process.start()
    pass(2_500)
    process.kill()
    pass(10_000)
    expect(log).toEqual(['boot 1 tick 1', 'boot 1 tick 2', 'boot 1 destroyed'])
    expect([process.state, exits]).toEqual(['exited', [{ code: null, signal: 'SIGKILL' }]])
    expect(world.kernel.run()).toBe('idle')
  })

  it('boots again with another actor and pid', () => {
    const { process, log, pass } = setUp()
    process.start()
    const first = { actor: process.actor, pid: process.pid }
    pass(1_500)
    process.kill()
    process.start()
    pass(1_500)
    expect(log).toEqual(['boot 1 tick 1', 'boot 1 destroyed', 'boot 2 tick 1'])
    expect(process.actor).not.toBe(first.actor)
    expect(process.pid).not.toBe(first.pid)
  })

  it('misses nothing while paused, only does it late', () => {
    const { process, log, pass } = setUp()
    process.start()
    process.pause()
    process.signal('SIGHUP')
    pass(5_000)
    expect(log).toEqual([])
    process.resume()
    pass(1_500)
    expect(log).toEqual(['boot 1 SIGHUP', 'boot 1 tick 1', 'boot 1 tick 2'])
  })

  it('decides itself about SIGTERM, and not about SIGKILL, SIGSTOP and SIGCONT', () => {
    const { process, exits, pass } = setUp()
    process.start()
    process.signal('SIGSTOP')
    expect(process.state).toBe('paused')
    process.signal('SIGCONT')
    process.signal('SIGTERM')
    pass(100)
    expect(exits).toEqual([{ code: 0, signal: null }])
    process.start()
    process.signal('SIGSTOP')
    process.signal('SIGKILL')
    expect(exits.length).toBe(2)
    process.signal('SIGTERM')
    expect(exits.length).toBe(2)
  })

  it('ends with its host’s power, unheard, and starts only when power is back', () => {
    const { process, exits, pass, log, world } = setUp()
    process.start()
    process.host.powerOff()
    pass(5_000)
    expect([process.state, exits, log]).toEqual(['off', [], ['boot 1 destroyed']])
    expect(() => process.start()).toThrow(/host a is off/)
    process.host.powerOn()
    process.start()
    expect([process.state, process.boots]).toEqual(['running', 2])
    expect(() => process.start()).toThrow(/already running/)
    expect(world.reports.count('power-lost')).toBe(1)
  })

  it('that ends while it boots is destroyed', () => {
    const world = new World({ seed: 1 })
    let destroyed = 0
    const process = world.addProcess('brief', world.addHost('a'), {
      boot(self) {
        self.exit({ code: 3, signal: null })
        return { signal: () => {}, destroy: () => destroyed++ }
      },
    })
    process.start()
    expect([process.exitStatus, destroyed, process.actor.state]).toEqual([
      { code: 3, signal: null },
      1,
      'dead',
    ])
  })
})
