/** The child of execa.mjs. */
process.stdin.setEncoding('utf8')
let input = ''
for await (const chunk of process.stdin) input += chunk
console.log(`got ${input.trim()} and ${process.argv.slice(2).join()} in ${process.env.PLACE}`)
console.error('to stderr')
process.exitCode = input.includes('fail') ? 3 : 0
