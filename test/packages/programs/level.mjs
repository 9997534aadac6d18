import { MemoryLevel } from 'memory-level'

const db = new MemoryLevel({ valueEncoding: 'json' })
await db.batch([
  { type: 'put', key: 'a', value: { n: 1 } },
  { type: 'put', key: 'b', value: { n: 2 } },
  { type: 'put', key: 'c', value: { n: 3 } },
])
await db.del('b')
for await (const [key, value] of db.iterator({ gte: 'a' })) console.log(key, value)
const users = db.sublevel('users')
await users.put('x', 'y')
console.log(await users.get('x'), await db.get('nothing'))
await db.close()
console.log(db.status)
