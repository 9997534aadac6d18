import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { runOne, runPrograms } from '../process/programs.test-support.ts'

/** Prints what depends on the region; the same text runs under a Node of its own. */
const SOURCE = `
  const lines = []
  const times = [0, 1e12, 1.7e12, -3e12, 1711846799999, 1711846800000, 1729990800000, 1729987200000, NaN, 8.6e15]
  for (const time of times) {
    const date = new Date(time)
    lines.push(date.toString(), date.toDateString(), date.toTimeString(), date.getTimezoneOffset(), date.getHours(),
      date.getDay(), date.getYear(), date.toLocaleString(), date.toLocaleDateString('de'), date.toLocaleTimeString())
    for (const set of ['setHours', 'setDate', 'setMonth', 'setFullYear', 'setMinutes', 'setYear']) {
      const copy = new Date(time)
      lines.push(set + ' ' + copy[set](3, 2) + ' ' + copy.getTime())
    }
  }
  // Skipped and repeated hours of Berlin and New York.
  for (const fields of [[2024, 2, 31, 2, 30], [2024, 9, 27, 2, 30], [2024, 2, 10, 2, 30], [2024, 10, 3, 1, 30], [99, 0]])
    lines.push(new Date(...fields).getTime())
  for (const text of ['2024-06-01', '2024-06-01T10:00', '2024-06-01T10:00Z', '2024-06-01T10:00+02:00', 'Jun 1 2024 10:00',
    'Sat, 01 Jun 2024 10:00:00 GMT', '2024/06/01', 'June 1, 2024 10:00 EST', '2024-06-01 10:00', 'nonsense', '2024'])
    lines.push(text + ' ' + Date.parse(text) + ' ' + new Date(text).getTime())
  lines.push(Intl.DateTimeFormat().resolvedOptions().timeZone, Intl.NumberFormat().resolvedOptions().locale,
    (1234.5).toLocaleString(), 12345n.toLocaleString(), ['ä', 'z', 'a'].sort((a, b) => a.localeCompare(b)).join(),
    'I'.toLocaleLowerCase(), new Intl.PluralRules().select(1), [1234.5].toLocaleString(),
    new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' }).format(1e12))
  lines.map((line, i) => i + ' ' + line).join('\\n')`

function inNode(env: Record<string, string>): string {
  return execFileSync(process.execPath, ['-p', SOURCE], { env, encoding: 'utf8' }).trimEnd()
}

async function inTank(env: Record<string, string>): Promise<string> {
  const { stdout, stderr } = await runPrograms({
    main: {
      env: { ...env, SOURCE },
      entry: ({ process, globalThis: global }) => {
        // oxlint-disable-next-line typescript/no-implied-eval -- the same text runs under a Node of its own
        process.stdout.write(new global.Function(`return eval(process.env.SOURCE)`)() as string)
      },
    },
  })
  expect(stderr.main).toBe('')
  return stdout.main
}

describe('the region of a process', () => {
  it.each(['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Sydney'])(
    'is what Node makes of TZ=%s',
    async (TZ) => {
      expect(await inTank({ TZ })).toBe(inNode({ TZ, LANG: 'C' }))
    },
  )

  it.each(['de_DE.UTF-8', 'tr_TR', 'fr', 'C.UTF-8'])('is what Node makes of LC_ALL=%s', async (LC_ALL) => {
    expect(await inTank({ LC_ALL })).toBe(inNode({ LC_ALL, TZ: 'UTC' }))
  })

  it('is UTC where no zone has the name', async () => {
    expect(await inTank({ TZ: 'No/Where' })).toBe(await inTank({}))
  })

  it('is its own, and changes with its environment', async () => {
    const hourOf = (TZ: string | null) => ({
      ...(TZ === null ? {} : { env: { TZ } }),
      entry: ({ process, globalThis: global }: any) => {
        const at = (): string => `${new global.Date(0).getHours()} `
        process.stdout.write(at())
        global.setTimeout(() => {
          process.stdout.write(at())
          process.env.TZ = 'Asia/Tokyo'
          process.stdout.write(at())
          delete process.env.TZ
          process.stdout.write(at())
        }, 10)
      },
    })
    const { stdout } = await runPrograms({
      berlin: hourOf('Europe/Berlin'),
      plain: hourOf(null),
      newYork: hourOf('America/New_York'),
    })
    expect(stdout).toEqual({ berlin: '1 1 9 0 ', plain: '0 0 9 0 ', newYork: '19 19 9 0 ' })
  })

  it("is not the host's, in a worker thread neither", async () => {
    const script = fileURLToPath(new URL('region.test-support.ts', import.meta.url))
    const flags = ['--import', fileURLToPath(new URL('../../../scripts/typescript.mjs', import.meta.url))]
    const host = (env: Record<string, string>): string =>
      execFileSync(process.execPath, [...flags, script], {
        env: { ...process.env, ...env },
        encoding: 'utf8',
      })
    const plain = host({ TZ: 'UTC', LC_ALL: 'C' })
    expect(plain).toContain('1,234.5')
    expect(host({ TZ: 'Asia/Tokyo', LC_ALL: 'de_DE.UTF-8' })).toBe(plain)
  }, 60_000)
})

describe('the class of an object', () => {
  it('is the one that the process has', async () => {
    const { stdout } = await runOne(({ process, globalThis: global }) => {
      const { Date, Intl } = global as any
      const date = new Date(1)
      const facts = [
        date.constructor === Date,
        Date.prototype.constructor === Date,
        new Intl.DateTimeFormat().constructor === Intl.DateTimeFormat,
        Intl.NumberFormat.prototype.constructor === Intl.NumberFormat,
        new date.constructor().getFullYear() === 2027,
        new Intl.DateTimeFormat().format === new Intl.DateTimeFormat().format,
        new (class extends Intl.NumberFormat {})() instanceof Intl.NumberFormat,
      ]
      function Old(): void {}
      Old.prototype = Object.create(Date.prototype)
      Old.prototype.constructor = Old
      process.stdout.write(`${facts.join()} ${Object.keys(Old.prototype).join()}`)
    })
    expect(stdout).toBe('true,true,true,true,true,false,true constructor')
    expect(new Date().constructor).toBe(Date)
    expect(new Intl.NumberFormat().constructor).toBe(Intl.NumberFormat)
  })
})
