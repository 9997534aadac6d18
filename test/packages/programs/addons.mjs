/** Native addons that compute: hashes of passwords, and images. They complete in the real thread pool. */
import bcrypt from 'bcrypt'
import sharp from 'sharp'

const hash = await bcrypt.hash('secret', '$2b$04$abcdefghijklmnopqrstuu')
console.log(hash, await bcrypt.compare('secret', hash), await bcrypt.compare('wrong', hash))

const create = { width: 40, height: 30, channels: 3, background: 'red' }
const png = await sharp({ create }).png().toBuffer()
const { data, info } = await sharp(png).resize(10, 10).raw().toBuffer({ resolveWithObject: true })
console.log(info.width, info.size, data.subarray(0, 6))
await sharp(Buffer.from('no image'))
  .toBuffer()
  .catch(({ message }) => console.log(message))

const order = []
const timer = new Promise((resolve) => setTimeout(resolve, 5_000)).then(() => order.push('timer'))
await Promise.all([timer, bcrypt.compare('secret', hash).then(() => order.push('compared'))])
console.log(order)
