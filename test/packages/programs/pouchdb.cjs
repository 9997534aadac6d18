const PouchDB = require('pouchdb-core')
  .plugin(require('pouchdb-adapter-memory'))
  .plugin(require('pouchdb-replication'))

async function main() {
  const here = new PouchDB('here', { adapter: 'memory' })
  const there = new PouchDB('there', { adapter: 'memory' })
  await here.bulkDocs([
    { _id: 'a', n: 1 },
    { _id: 'b', n: 2 },
  ])
  const { docs_written: written } = await here.replicate.to(there)
  console.log('replicated', written)
  const doc = await there.get('a')
  await there.put({ ...doc, n: 10 })
  await here.put({ ...(await here.get('a')), n: 20 })
  await here.sync(there)
  const conflicted = await here.get('a', { conflicts: true })
  console.log('conflicts', conflicted._conflicts.length)
  const same = (await here.get('a')).n === (await there.get('a')).n
  console.log('both sides agree', same)
  await here.destroy()
  await there.destroy()
}
main()
