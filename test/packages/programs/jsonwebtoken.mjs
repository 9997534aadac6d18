import jwt from 'jsonwebtoken'
import { setTimeout as sleep } from 'node:timers/promises'

const token = jwt.sign({ user: 1 }, 'secret', { expiresIn: '1s', noTimestamp: false })
const { user, exp, iat } = jwt.verify(token, 'secret')
console.log(user, exp - iat)
const verdict = (key) => {
  try {
    return jwt.verify(token, key).user
  } catch (error) {
    return error.message
  }
}
console.log(verdict('wrong'))
await sleep(2100)
console.log(verdict('secret'))
