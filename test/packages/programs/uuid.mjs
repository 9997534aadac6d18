import { nanoid, customAlphabet } from 'nanoid'
import { v1, v4, v5, v7, validate, version } from 'uuid'

console.log([v1(), v4(), v7()].map((id) => [validate(id), version(id)]))
console.log(v5('wavetank', v5.URL))
console.log(
  new Set(Array.from({ length: 100 }, () => v4())).size,
  nanoid().length,
  customAlphabet('ab', 5)().length,
)
