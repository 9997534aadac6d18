import { beforeEach, describe, expect, it } from 'vitest'
import { SharedParts } from './shared-parts.ts'
import { RealmWalk } from './realm-walk.ts'
import { isUntouched, type WatchedObject } from './watched-object.ts'

describe('what the instances of processes have in common', () => {
  let found: WatchedObject[] = []
  let parts = new SharedParts(new RealmWalk(new Set(), () => {}), () => {})
  const shared: any = () => {}
  const instance = (): any => ({ shared, own: () => {} })
  const paths = (): string[] => found.map(({ path }) => path)

  beforeEach(() => {
    found = []
    const seen = new Set<object>([Object.prototype, Function.prototype])
    parts = new SharedParts(new RealmWalk(seen, () => {}), (part) => found.push(part))
  })

  it('is found when a second world has its instance', () => {
    parts.look('os', instance(), '')
    parts.look('os', instance(), '') // of the same world, in which programs run already
    expect(paths()).toEqual([])
    parts.restore()
    expect(parts.look('os', instance(), '')).toEqual([])
    expect(paths()).toEqual(['os.shared'])
    parts.look('os', instance(), '')
    expect(found).toHaveLength(1)
  })

  it('is put back and named although the first program changed it before anything was known', () => {
    const first = instance()
    parts.look('os', first, '')
    first.shared.mine = 1
    first.own.mine = 1
    parts.restore()
    expect('mine' in shared).toBe(false)
    expect(parts.look('os', instance(), '')).toEqual([{ path: 'os.shared.mine', kind: 'added' }])
  })

  it('may have members that every instance defines anew', () => {
    const define = (): any => {
      shared.anew = () => {}
      return instance()
    }
    parts.look('os', define(), '')
    parts.restore()
    expect(parts.look('os', define(), '')).toEqual([])
    define()
    expect(isUntouched(found[0])).toBe(true)
    shared.added = 1
    expect(isUntouched(found[0])).toBe(false)
    delete shared.added
    delete shared.anew
  })

  it('may have members that were defined anew within the first world, too', () => {
    const define = (): any => {
      shared.anew = () => {}
      return instance()
    }
    parts.look('os', define(), '')
    define() // the process starts again
    shared.mine = 1
    parts.restore()
    expect(parts.look('os', define(), '')).toEqual([{ path: 'os.shared.mine', kind: 'added' }])
    delete shared.anew
  })

  it('is that of one kind of process', () => {
    parts.look('process', instance(), 'main')
    parts.restore()
    parts.look('process', {}, 'worker')
    expect(paths()).toEqual([])
    parts.look('process', instance(), 'main')
    expect(paths()).toEqual(['process.shared'])
  })
})
