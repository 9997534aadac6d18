/** A register that any minority of its replicas may leave. Run it with `npx wavetank run quorum --level stormy`. */
import { simulation } from 'wavetank'
import { workload } from './quorum-workload.ts'
import { majorityOf } from './register-client.js'

export default simulation('quorum', {
  processes: {
    // A replica that cannot read its disk ends, and its supervisor starts it again.
    replica: { entry: './replica.js', args: ['--data', '/data'], count: [3, 5], onExit: 'restart' },
  },
  workload: workload(majorityOf),
  budget: { dead: 'minority', unhealed: 'minority' },
})
