/** Run by `transactions.ts`: reads a list-append history, checks it, and prints the most memory that it took. */
import { listAppend } from '../../src/checkers/transactions/index.ts'
import { readHistory } from '../../src/history/index.ts'

const { verdict } = listAppend(await readHistory(process.argv[2]))
/** Node gives kibibytes. */
const { maxRSS } = process.resourceUsage()
console.log(JSON.stringify({ verdict, maxMb: Math.round((maxRSS * 1024) / 1e6) }))
