/** The same register, with a majority computed as half, rounded up: right for three replicas, wrong for two and four. */
import { simulation } from 'wavetank'
import { workload } from './quorum-workload.ts'

export default simulation('quorum-half', {
  processes: {
    replica: { entry: './replica.js', args: ['--data', '/data'], count: [2, 4], onExit: 'restart' },
  },
  workload: workload((replicas) => Math.ceil(replicas / 2)),
  budget: { dead: 'minority' },
})
