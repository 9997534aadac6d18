/** The key-value server in the tank. Run it with `npx wavetank run kv --level stormy`. */
import { simulation } from 'wavetank'
import { answersAreOnDisk, readsSeeWrites, workload } from './kv-workload.ts'

export default simulation('kv', {
  processes: {
    // A server that cannot write to its disk ends, and its supervisor starts it again.
    kv: { entry: './server.js', args: ['--data', '/data', '--sync', 'always'], onExit: 'restart' },
  },
  workload,
  taps: { kv: { port: 7000, decode: 'json' } },
  invariants: {
    'a read sees the last write': readsSeeWrites,
    'what is answered is on the disk': answersAreOnDisk,
  },
})
