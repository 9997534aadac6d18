import { JSONFilePreset } from 'lowdb/node'
import { mkdtemp, readFile, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folder = await mkdtemp(join(tmpdir(), 'lowdb-'))
const db = await JSONFilePreset(join(folder, 'db.json'), { posts: [] })
db.data.posts.push('one')
await db.write()
await Promise.all([1, 2, 3].map((n) => db.update(({ posts }) => posts.push(n))))
console.log(JSON.parse(await readFile(join(folder, 'db.json'), 'utf8')), await readdir(folder))
