import { describe, expect, it } from 'vitest'
import { fail, OperationRecorder, type OperationEvent } from './operations.ts'

function recorder(): { operations: OperationRecorder; events: OperationEvent[]; fire: (() => void)[] } {
  const events: OperationEvent[] = []
  const fire: (() => void)[] = []
  let now = 0
  const operations = new OperationRecorder({
    nowUs: () => ++now,
    faultEpoch: () => 3,
    publish: (event) => events.push(event),
    unsupported: () => {},
    after: (_delayMs, callback) => {
      fire.push(callback)
      return () => fire.splice(fire.indexOf(callback), 1)
    },
  })
  operations.begin(2)
  return { operations, events, fire }
}

describe('an operation', () => {
  it('is ok with what its body returns', async () => {
    const { operations, events } = recorder()
    const outcome = await operations.operation(0, 'put', { key: 'a', input: 5 }, (op) => {
      op.saw('n1')
      return Promise.resolve('done')
    })
    expect(outcome).toEqual({ type: 'ok', value: 'done' })
    const [record] = [...operations.history().operations()]
    expect(record).toMatchObject({
      f: 'put',
      key: 'a',
      input: 5,
      output: 'done',
      type: 'ok',
      node: 'n1',
      faultEpoch: 3,
    })
    expect(events.map((event) => event.type)).toEqual(['invoke', 'ok'])
  })

  it('is unknown when its body throws, and did not happen when it says so', async () => {
    const { operations } = recorder()
    const unknown = await operations.operation(0, 'put', {}, () => {
      throw new Error('ECONNRESET')
    })
    const failed = await operations.operation(0, 'put', {}, () => fail('full'))
    expect(unknown).toMatchObject({ type: 'info', timedOut: false })
    expect(failed).toEqual({ type: 'fail', error: 'full' })
    const [first, second] = [...operations.history().operations()]
    expect([first.type, first.error, second.type, second.error]).toEqual([
      'info',
      'ECONNRESET',
      'fail',
      'full',
    ])
    expect(operations.operationCounts()).toEqual([{ f: 'put', ok: 0, fail: 1, info: 1 }])
  })

  it('names what was thrown by its code, or by its name if the code is a number', async () => {
    const { operations } = recorder()
    const refused = Object.assign(new Error('no way'), { code: 'ECONNREFUSED' })
    for (const error of [refused, new DOMException('aborted', 'TimeoutError')])
      await operations.operation(0, 'put', {}, () => Promise.reject(error))
    const errors = [...operations.history().operations()].map(({ error }) => error)
    expect(errors).toEqual(['ECONNREFUSED: no way', 'TimeoutError: aborted'])
  })

  it('gives its client a new process number after an unknown outcome', async () => {
    const { operations } = recorder()
    await operations.operation(1, 'put', {}, () => Promise.reject(new Error('lost')))
    await operations.operation(1, 'put', {}, () => {})
    expect([...operations.history().operations()].map((record) => record.process)).toEqual([1, 3])
  })

  it('is unknown and timed out when the body takes too long, whatever it says later', async () => {
    const { operations, fire } = recorder()
    let answer: (value: string) => void = () => {}
    const running = operations.operation(
      0,
      'get',
      { timeoutVirtualMs: 10 },
      () => new Promise<string>((resolve) => (answer = resolve)),
    )
    fire[0]()
    expect(await running).toMatchObject({ type: 'info', timedOut: true })
    answer('too late')
    const [record] = [...operations.history().operations()]
    expect(record).toMatchObject({ type: 'info', timedOut: true, output: null })
  })

  it('keeps a copy of its input', async () => {
    const { operations } = recorder()
    const input = { balance: 1 }
    await operations.operation(0, 'put', { input }, () => void (input.balance = 2))
    expect([...operations.history().operations()][0].input).toEqual({ balance: 1 })
  })
})
