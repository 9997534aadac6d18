/**
 * The server that answers too early, under the invariant that looks at the wire and at the disk: the first answer breaks
 * it, without a power loss. It is no `.sim.ts`, since the plan of the key-value server is what runs it.
 */
import { simulation } from 'wavetank'
import { answersAreOnDisk, workload } from './kv-workload.ts'

export default simulation('kv-unsynced', {
  processes: {
    kv: { entry: './server.js', args: ['--data', '/data', '--sync', 'background'], onExit: 'restart' },
  },
  workload,
  taps: { kv: { port: 7000, decode: 'json' } },
  invariants: { 'what is answered is on the disk': answersAreOnDisk },
})
