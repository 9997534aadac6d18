// Several chains of requests over kept connections: every chain sends its next request when the last was answered.
// Begins after a pause, so that whoever measures can tell booting from working.
const http = require('node:http')

const { SERVER: host, PORT: port, BODY: body = '{"name":"somebody"}' } = process.env
const warm = Number(process.env.WARM ?? 0)
const count = Number(process.env.COUNT)
const chains = Number(process.env.CHAINS)
const agent = new http.Agent({ keepAlive: true, maxSockets: chains })
let sent = 0
let answered = 0

function send() {
  if (sent === warm + count) return
  const turn = sent++
  const options =
    turn % 2 === 0 ? { method: 'GET', path: `/users/${turn}` } : { method: 'POST', path: '/users' }
  const headers = turn % 2 === 0 ? {} : { 'content-type': 'application/json', 'content-length': body.length }
  const request = http.request({ host, port, agent, headers, ...options }, (response) => {
    if (response.statusCode >= 300) throw new Error(`status ${response.statusCode}`)
    response.on('data', () => {})
    response.on('end', () => {
      answered++
      if (answered === warm) console.log('start')
      if (answered === warm + count) {
        console.log('done')
        agent.destroy()
      } else send()
    })
  })
  request.end(turn % 2 === 0 ? undefined : body)
}

setTimeout(
  () => {
    if (warm === 0) console.log('start')
    for (let i = 0; i < chains; i++) send()
  },
  Number(process.env.PAUSE_MS ?? 0),
)
