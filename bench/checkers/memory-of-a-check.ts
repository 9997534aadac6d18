/** Run by `transactions.ts`: reads a list-append history, checks it, and prints the most memory that it took. */
import { listAppend } from '../../src/checkers/transactions/index.ts'
import { readHistory } from '../../src/history/index.ts'

const { verdict } = listAppend(await readHistory(process.argv[2]))
console.log(JSON.stringify({ verdict, maxMb: Math.round(process.resourceUsage().maxRSS / 1000) }))
