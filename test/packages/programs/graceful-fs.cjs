const os = require('node:os')
const path = require('node:path')
const fs = require('graceful-fs')

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'graceful-'))
let left = 50
for (let i = 0; i < 50; i++) {
  fs.writeFile(path.join(folder, `${i}`), `content ${i}`, (error) => {
    if (error) throw error
    if (--left > 0) return
    console.log(fs.readdirSync(folder).length)
    fs.rename(path.join(folder, '1'), path.join(folder, '2'), () => {
      console.log(fs.readFileSync(path.join(folder, '2'), 'utf8'))
      fs.createReadStream(path.join(folder, '3')).on('data', (chunk) => console.log(String(chunk)))
    })
  })
}
