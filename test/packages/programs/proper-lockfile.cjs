const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const lockfile = require('proper-lockfile')

async function main() {
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'lock-')), 'thing')
  fs.writeFileSync(file, '')
  const release = await lockfile.lock(file)
  console.log('locked', await lockfile.check(file))
  console.log(await lockfile.lock(file).catch((error) => error.code))
  const waiting = lockfile.lock(file, { retries: { retries: 20, minTimeout: 50, maxTimeout: 50 } })
  setTimeout(release, 200)
  const second = await waiting
  console.log('second got it')
  await second()
  console.log('locked', await lockfile.check(file), fs.readdirSync(path.dirname(file)))
}
main()
