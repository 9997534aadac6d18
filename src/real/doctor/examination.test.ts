import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { RealSystem } from '../../sim/authoring/real-system.ts'
import { missingFor } from './backends.ts'
import { checkNeeds, examine, installLine, installs } from './examination.ts'

const folder = mkdtempSync(join(tmpdir(), 'wavetank-doctor-'))
afterAll(() => rmSync(folder, { recursive: true }))

const system: RealSystem = {
  name: 'it',
  needs: { 'wavetank-has-no-such': 'it-server', 'wavetank-nor-this': 'it-server' },
  ports: [],
  start: () => ({ command: 'it' }),
  ready: () => true,
}

describe('the doctor', () => {
  it('names every backend with what it lacks, and the line that installs what Debian has', async () => {
    const findings = await examine(folder) // no program is there, but for those of /usr/sbin
    const of = (name: string) => findings.find((each) => each.name === name)
    expect(of('--backend ssh')).toMatchObject({ present: false, package: 'openssh-client', part: 'backend' })
    expect(of('--backend ssh')!.detail).toContain('apt-get install -y --no-install-recommends openssh-client')
    expect(of('--backend docker')!.present).toBe(false)
    expect(of('etcd')).toMatchObject({ present: false, package: 'etcd-server', part: 'system' })
    expect(of('strace')).toMatchObject({ present: false, part: 'faults' })
    expect(of('the freezer')).toMatchObject({ package: null, part: 'faults', required: false })
    expect(installLine(findings)).toContain(' openssh-client')
  })

  it('finds what is there', async () => {
    for (const name of ['etcd', 'ssh']) {
      writeFileSync(join(folder, name), '')
      chmodSync(join(folder, name), 0o755)
    }
    const findings = await examine(folder)
    expect(findings.find(({ name }) => name === 'etcd')).toMatchObject({
      present: true,
      detail: join(folder, 'etcd'),
    })
    expect(missingFor('ssh', folder)).toBeNull()
    expect(missingFor('local', folder)).toBeNull()
  })

  it('says of a system what is missing and how it is installed', () => {
    expect(() => checkNeeds(system, folder)).toThrow(
      /it needs wavetank-has-no-such, wavetank-nor-this; .*recommends it-server$/,
    )
    expect(installs(system)).toEqual([['apt-get', 'install', '-y', '--no-install-recommends', 'it-server']])
    expect(installs({ ...system, install: [['make', 'install']] })).toEqual([['make', 'install']])
  })
})
