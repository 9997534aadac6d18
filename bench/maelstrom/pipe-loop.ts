/** A bare pipe loop: lines of JSON to one child and back, a number of them in flight, with nothing else around. */
import { spawn } from 'node:child_process'

/** Round trips with the bench's node, per second and per second of this process's own processor time. */
export async function pipeLoop(
  node: string,
  inFlight: number,
  durationMs: number,
): Promise<{ wall: number; processor: number }> {
  const child = spawn(process.execPath, [node], { stdio: ['pipe', 'pipe', 'inherit'] })
  let next = 0
  let done = 0
  let rest = ''
  const ask = (): void => {
    const body = { type: 'echo', msg_id: next, echo: `Please echo ${next++ % 128}` }
    child.stdin.write(`${JSON.stringify({ id: next, src: 'c1', dest: 'n1', body })}\n`)
  }
  const begun = performance.now()
  const usage = process.cpuUsage()
  await new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop()!
      for (const line of lines) {
        JSON.parse(line)
        done++
        if (performance.now() - begun < durationMs) ask()
        else resolve()
      }
    })
    for (let i = 0; i < inFlight; i++) ask()
  })
  const seconds = (performance.now() - begun) / 1000
  const { user, system } = process.cpuUsage(usage)
  child.kill('SIGKILL')
  return { wall: done / seconds, processor: done / ((user + system) / 1e6) }
}
