/** A mail server and nodemailer's pool of connections. */
import nodemailer from 'nodemailer'
import { SMTPServer } from 'smtp-server'

const server = new SMTPServer({
  disabledCommands: ['STARTTLS'],
  onAuth({ username, password }, _, callback) {
    if (password === 'right') callback(null, { user: username })
    else callback(new Error('wrong password'))
  },
  onData(stream, { envelope }, callback) {
    let bytes = 0
    stream.on('data', (chunk) => (bytes += chunk.length))
    stream.on('end', () => {
      console.log(envelope.mailFrom.address, envelope.rcptTo[0].address, bytes > 5_000)
      callback(null, 'queued')
    })
  },
})
await new Promise((resolve) => server.listen(2525, '127.0.0.1', resolve))
const transport = (pass, options) =>
  nodemailer.createTransport({ host: '127.0.0.1', port: 2525, auth: { user: 'me', pass }, ...options })
const pool = transport('right', { pool: true, maxConnections: 1 })
const mail = (n) => ({
  from: `a${n}@example.org`,
  to: 'b@example.org',
  subject: 'hello',
  text: 'hello',
  attachments: [{ filename: 'a.bin', content: Buffer.alloc(5_000, n) }],
})
const sent = await Promise.all([1, 2, 3].map((n) => pool.sendMail(mail(n))))
console.log(sent.map(({ response }) => response))
await transport('wrong')
  .sendMail(mail(4))
  .catch(({ code, responseCode }) => console.log(code, responseCode))
pool.close()
server.close(() => console.log('closed'))
