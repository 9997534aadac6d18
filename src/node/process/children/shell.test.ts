import { describe, expect, it } from 'vitest'
import { runOne } from '../programs.test-support.ts'
import { parseShell } from './shell-syntax.ts'

describe('the language of the shell', () => {
  it('has words, quotes, variables, assignments and redirections', () => {
    expect(parseShell(`A=1 node "x $B" 'y $B' 2>&1 >>log`, { B: 'b' })).toEqual([
      {
        when: 'always',
        commands: [
          {
            words: ['node', 'x b', 'y $B'],
            assignments: { A: '1' },
            redirections: [
              { fd: 2, kind: 'dup', target: '1' },
              { fd: 1, kind: 'append', target: 'log' },
            ],
            subshell: null,
          },
        ],
      },
    ])
  })

  it('has pipelines, lists and subshells', () => {
    const parsed = parseShell('(a; b) | c && d || e', {})
    expect(parsed).toMatchObject([
      { when: 'always', commands: [{ subshell: 'a; b' }, { words: ['c'] }] },
      { when: 'success', commands: [{ words: ['d'] }] },
      { when: 'failure', commands: [{ words: ['e'] }] },
    ])
  })

  it('says what it does not understand', () => {
    expect(parseShell('sleep 1 & echo', {})).toMatch(/"&" is not understood/)
    expect(parseShell('a |', {})).toMatch(/end of file unexpected/)
    expect(parseShell('echo "x', {})).toMatch(/Unterminated/)
  })
})

describe('the shell', () => {
  it('connects commands with pipes and goes on as their status says', async () => {
    const { stdout } = await runOne(({ require, process }) => {
      const line = '(echo one; echo two) | cat && false || echo three; exit 7'
      require('child_process').exec(line, (error: any, out: string) =>
        process.stdout.write(`${out.split('\n').join(',')} ${error.code}`),
      )
    })
    expect(stdout).toBe('one,two,three, 7')
  })

  it('reports a command that is not installed with 127', async () => {
    const { stdout } = await runOne(({ require, process }) => {
      require('child_process').exec('echo x | nonesuch', (error: any, _out: string, err: string) =>
        process.stdout.write(`${error.code} ${err}`),
      )
    })
    expect(stdout).toBe('127 /bin/sh: 1: nonesuch: not found\n')
  })
})
