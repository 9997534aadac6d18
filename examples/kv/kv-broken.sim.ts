/**
 * The same server, told to answer before the disk has what it was given: fast, and wrong when the power fails within a
 * second. No test with a real disk finds it; `npx wavetank run kv-broken --level stormy` does.
 */
import { simulation } from 'wavetank'
import { readsSeeWrites, workload } from './kv-workload.ts'

export default simulation('kv-broken', {
  processes: {
    kv: { entry: './server.js', args: ['--data', '/data', '--sync', 'background'], onExit: 'restart' },
  },
  workload,
  invariants: { 'a read sees the last write': readsSeeWrites },
})
