import { describe, expect, it } from 'vitest'
import { running } from '../process/current.ts'
import { runOne, runPrograms } from '../process/programs.test-support.ts'

/** Everything that a program could see of a console, but for the values of its state. */
function shapeOf(console: any): unknown[] {
  return Reflect.ownKeys(console).map((key) => {
    const { value, get, set, ...flags } = Reflect.getOwnPropertyDescriptor(console, key)!
    const of = [value, get, set].map((member) =>
      typeof member === 'function'
        ? [member.name, member.length, Reflect.ownKeys(member)]
        : [typeof member, Object(member).constructor],
    )
    return [key, flags, ...of, typeof value === 'function' && String(value)]
  })
}

describe('the console of a process', () => {
  it('has the members that Node’s own script gives it', async () => {
    const shapes: unknown[][] = []
    let prototype: object | undefined
    await runOne(({ globalThis: { console } }) => {
      const { modules } = running!
      const evaluated = modules.own('internal/console/global')
      modules.require('internal/console/constructor').initializeGlobalConsole(evaluated)
      shapes.push(shapeOf(console), shapeOf(evaluated))
      prototype = Object.getPrototypeOf(console) as object
    })
    expect(shapes[0].length).toBeGreaterThan(30)
    expect(shapes[0]).toEqual(shapes[1])
    expect(Reflect.ownKeys(prototype!)).toEqual([])
    expect(Object.getPrototypeOf(prototype)).toBe(Object.prototype)
  })

  it('is its own, with its state and what the program puts there', async () => {
    const { stdout, stderr } = await runPrograms({
      first({ globalThis: { console } }) {
        console.group('in')
        console.count()
        console.warn = (text: string) => console.log(`mine ${text}`)
        console.error = console.warn
        console.trace('trace')
        console.assert(false)
      },
      second({ globalThis: { console, setTimeout } }) {
        setTimeout(() => {
          console.count()
          console.assert(false)
        }, 10)
      },
    })
    const [traced, ...frames] = stdout.first.split(/\n {6}at /)
    expect(traced).toBe('in\n  default: 1\n  mine Trace: trace')
    expect(frames.join('\n')).toMatch(/^first \(.*console\.test\.ts:\d+:\d+\)\n {2}mine Assertion failed\n$/)
    expect(stderr.first).toBe('')
    expect([stdout.second, stderr.second]).toEqual(['default: 1\n', 'Assertion failed\n'])
  })
})
