/** The key-value server in the tank. Run it with `npx wavetank run kv --level stormy`. */
import { simulation } from 'wavetank'
import { readsSeeWrites, workload } from './kv-workload.ts'

export default simulation('kv', {
  processes: {
    // A server that cannot write to its disk ends, and its supervisor starts it again.
    kv: { entry: './server.js', args: ['--data', '/data', '--sync', 'always'], onExit: 'restart' },
  },
  workload,
  invariants: { 'a read sees the last write': readsSeeWrites },
})
