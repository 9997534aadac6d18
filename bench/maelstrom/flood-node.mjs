/** The flooding node of the bench: echo, and broadcast to all neighbours but the sender, with nothing but Node. */
let id = ''
let neighbours = []
let out = ''
let rest = ''
const seen = new Set()

function send(dest, body) {
  if (out === '') setImmediate(flush)
  out += `${JSON.stringify({ src: id, dest, body })}\n`
}

function flush() {
  process.stdout.write(out)
  out = ''
}

function learn(message, from) {
  if (seen.has(message)) return
  seen.add(message)
  for (const neighbour of neighbours) if (neighbour !== from) send(neighbour, { type: 'flood', message })
}

function receive({ src, body }) {
  const { type, msg_id: in_reply_to } = body
  if (type === 'flood') return learn(body.message, src)
  if (type === 'init') id = body.node_id
  if (type === 'topology') neighbours = body.topology[id]
  if (type === 'broadcast') learn(body.message, src)
  const fields = type === 'echo' ? { echo: body.echo } : type === 'read' ? { messages: [...seen] } : {}
  send(src, { type: `${type}_ok`, in_reply_to, ...fields })
}

process.stdin.setEncoding('utf8').on('data', (text) => {
  const lines = (rest + text).split('\n')
  rest = lines.pop()
  for (const line of lines) receive(JSON.parse(line))
})
