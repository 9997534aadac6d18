import Datastore from '@seald-io/nedb'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const filename = join(await mkdtemp(join(tmpdir(), 'nedb-')), 'data.db')
const db = new Datastore({ filename, autoload: true })
await db.autoloadPromise
await db.ensureIndexAsync({ fieldName: 'name', unique: true })
await db.insertAsync([
  { _id: '1', name: 'a', n: 1 },
  { _id: '2', name: 'b', n: 2 },
])
console.log(await db.insertAsync({ name: 'a' }).catch((error) => error.errorType))
await db.updateAsync({ n: { $gt: 1 } }, { $inc: { n: 10 } }, {})
console.log(await db.findAsync({}).sort({ name: 1 }))
await db.removeAsync({ name: 'a' }, {})
await db.compactDatafileAsync()
console.log((await readFile(filename, 'utf8')).trim().split('\n').sort())
const again = new Datastore({ filename })
await again.loadDatabaseAsync()
console.log(await again.countAsync({}))
