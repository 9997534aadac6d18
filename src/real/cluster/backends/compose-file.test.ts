import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { RealSystem } from '../../../sim/authoring/real-system.ts'
import { composeFile, networkOf } from './compose-file.ts'

const system = (install?: RealSystem['install']): RealSystem => ({
  name: 'etcd',
  needs: { etcd: 'etcd-server', etcdctl: 'etcd-server' },
  ports: [2379],
  start: () => ({ command: 'etcd' }),
  ready: () => true,
  ...(install === undefined ? {} : { install }),
})

interface Compose {
  readonly name: string
  readonly services: Readonly<Record<string, any>>
  readonly networks: { readonly nodes: { readonly ipam: { readonly config: readonly any[] } } }
}

describe('the compose file of a run', () => {
  const file = parse(composeFile('run-a', ['n1', 'n2', 'n3'], [system()])) as Compose

  it('has a container per node that does nothing by itself, with an address of its own in the run’s network', () => {
    expect(file.name).toBe('wavetank-run-a')
    expect(Object.keys(file.services)).toEqual(['n1', 'n2', 'n3'])
    const { subnet, gateway, address } = networkOf('run-a')
    expect(file.networks.nodes.ipam.config).toEqual([{ subnet, gateway }])
    for (const [index, service] of Object.values(file.services).entries()) {
      expect(service.networks.nodes.ipv4_address).toBe(address(index + 1))
      expect(service.command).toEqual(['sleep', 'infinity'])
      expect(service.cap_add).toEqual(['NET_ADMIN'])
    }
    const addresses = [1, 2, 3].map(address)
    expect(new Set([...addresses, gateway]).size).toBe(4)
    for (const each of addresses) expect(each.startsWith(subnet.replace('.0/24', '.'))).toBe(true)
  })

  it('installs the packages of the system once, and the tools of the faults', () => {
    const { dockerfile_inline: dockerfile } = file.services.n1.build as { dockerfile_inline: string }
    expect(dockerfile.match(/etcd-server/g)).toHaveLength(1)
    expect(dockerfile).toMatch(/^FROM debian:12\n/)
    expect(dockerfile).toContain('nftables iproute2 procps')
  })

  it('installs a system as the system says', () => {
    const text = composeFile('run-a', ['n1'], [system([['curl', '-o', '/usr/bin/etcd', 'http://it']])])
    expect(text).toContain('curl -o /usr/bin/etcd http://it')
    expect(text).not.toContain('etcd-server')
  })

  it('names the image by what is in it', () => {
    const image = (...systems: RealSystem[]): string =>
      (parse(composeFile('run-b', ['n1'], systems)) as Compose).services.n1.image as string
    expect(image(system())).toBe(image(system()))
    expect(image(system())).not.toBe(image(system([['true']])))
  })
})
