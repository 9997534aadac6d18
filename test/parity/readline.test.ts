/** Lines from streams: endings, questions, iteration, closing. */
import { describe } from 'vitest'
import { same } from './parity.ts'

describe('readline', () => {
  same('lines end in every way, also across chunks', async (log, require) => {
    const { createInterface } = require('node:readline')
    const { PassThrough } = require('node:stream')
    const input = new PassThrough()
    const lines = createInterface({ input, crlfDelay: Infinity })
    for (const event of ['line', 'pause', 'resume', 'close']) {
      lines.on(event, (value: unknown) => log(event, value ?? ''))
    }
    for (const chunk of ['one\ntw', 'o\r', '\nthree\r\n', '\n', 'é'.slice(0, 1), '\u2028x\n', 'last']) {
      input.write(chunk)
      await new Promise((resolve) => setImmediate(resolve))
    }
    input.end()
    await new Promise((resolve) => lines.on('close', resolve))
    lines.close()
  })

  same('iteration ends with the input, and breaking closes', async (log, require) => {
    const { createInterface } = require('node:readline')
    const { Readable } = require('node:stream')
    for await (const line of createInterface({ input: Readable.from(['a\nb\n', 'c']) })) log(line)
    const lines = createInterface({ input: Readable.from(['1\n2\n3\n']) })
    lines.on('close', () => log('close'))
    for await (const line of lines) {
      log(line)
      if (line === '2') break
    }
  })

  same('questions are answered in turn, and can be called off', async (log, require) => {
    const { createInterface } = require('node:readline/promises')
    const { PassThrough } = require('node:stream')
    const input = new PassThrough()
    const output = new PassThrough()
    output.on('data', (chunk: Buffer) => log('said', `${chunk}`))
    const dialogue = createInterface({ input, output })
    const first = dialogue.question('name? ')
    input.write('Ada\n')
    log(await first)
    const controller = new AbortController()
    const second = dialogue.question('age? ', { signal: controller.signal })
    controller.abort()
    await second.catch(({ name, code, message }: any) => log(name, code, message))
    dialogue.setPrompt('> ')
    dialogue.prompt()
    log(dialogue.getPrompt(), dialogue.line, dialogue.cursor)
    dialogue.close()
    try {
      await dialogue.question('late? ')
    } catch ({ code, message }: any) {
      log(code, message)
    }
  })

  same('files are read line by line', async (log, require) => {
    const fs = require('node:fs')
    fs.writeFileSync('file', Array.from({ length: 500 }, (_, i) => `line ${i}`).join('\n'))
    let count = 0
    let length = 0
    for await (const line of require('node:readline').createInterface({
      input: fs.createReadStream('file'),
    })) {
      count++
      length += line.length as number
    }
    log(count, length)
    const missing = require('node:readline').createInterface({ input: fs.createReadStream('missing') })
    process.on('uncaughtException', ({ code }: any) => log('uncaught', code))
    missing.on('close', () => log('close'))
  })

  same('cursors and history on a terminal that is none', (log, require) => {
    const readline = require('node:readline')
    const { PassThrough } = require('node:stream')
    const output = new PassThrough()
    log(readline.cursorTo(output, 3, 4), readline.moveCursor(output, -1, 2), readline.clearLine(output, 0))
    log(readline.clearScreenDown(output), JSON.stringify(`${output.read()}`))
    const input = new PassThrough()
    const terminal = readline.createInterface({
      input,
      output,
      terminal: true,
      history: ['older'],
      prompt: '$ ',
    })
    terminal.on('history', (history: string[]) => log(history))
    terminal.on('line', (line: string) => log('line', line))
    terminal.on('SIGINT', () => {
      log('interrupted')
      terminal.close()
    })
    input.write('abc\u007F\u007Fx\n')
    input.write('\u001B[A\n')
    setImmediate(() => input.write('\u0003'))
  })
})
