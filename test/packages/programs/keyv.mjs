import Keyv from 'keyv'
import { setTimeout as sleep } from 'node:timers/promises'

const keyv = new Keyv({ namespace: 'ns' })
await keyv.set('a', { n: 1 })
await keyv.set('short', 'lived', 20)
console.log(await keyv.get('a'), await keyv.get('short'), await keyv.has('none'))
await sleep(50)
console.log(await keyv.get('short'), await keyv.delete('a'), await keyv.get('a'))
