/** Workers that scan a data set through the coordinator. Run it with `npx wavetank run shard-scan --level stormy`. */
import { simulation } from 'wavetank'
import { shardScan } from './shard-scan.ts'

export default simulation('shard-scan', shardScan())
