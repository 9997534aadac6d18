// Answers every request with what was asked for.
const http = require('node:http')

http
  .createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (text) => (body += text))
    request.on('end', () => response.end(`${request.method} ${request.url} ${body.length}`))
  })
  .listen(Number(process.env.PORT), () => console.log('listening'))
