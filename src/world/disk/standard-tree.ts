/**
 * What every Linux machine has and programs look for: `/tmp`, a home, `/dev/null` and its kin, `/proc/self`, a few files
 * below `/etc`. Small on purpose; contents say what the rest of the world says (one user, who
 * owns everything; UTC; the host's own name). `/data`, `/srv` and `/var/lib` are there to be written to.
 */
import { Entropy } from '../../kernel/prng.ts'
import { Directory } from './directory.ts'
import type { Disk } from './disk.ts'
import { fail } from './errno.ts'
import type { Device, Inode } from './inode.ts'
import { encodeAscii, ProcSelf } from './proc.ts'

const DIRECTORIES =
  'bin data etc home/node opt proc/sys/kernel root run srv usr/bin usr/lib usr/local/bin var/lib var/log'

export function plantStandardTree(disk: Disk, root: Directory): void {
  for (const path of DIRECTORIES.split(' ')) makeDirectories(disk, root, path, 0o755)
  makeDirectories(disk, root, 'tmp', 0o1777)
  makeDirectories(disk, root, 'var/tmp', 0o1777)
  plantDevices(disk, makeDirectories(disk, root, 'dev', 0o755))
  const proc = makeDirectories(disk, root, 'proc', 0o555)
  put(proc, 'self', new ProcSelf(disk, proc))
  plantTexts(disk, makeDirectories(disk, root, 'proc/sys/kernel', 0o555), {
    hostname: `${disk.name}\n`,
    ostype: 'Linux\n',
  })
  // Programs look for their own executable; there is nothing in it but the sign that it is one.
  plantTexts(disk, makeDirectories(disk, root, 'usr/local/bin', 0o755), { node: '\u007fELF' }, 0o755)
  plantTexts(disk, makeDirectories(disk, root, 'etc', 0o755), {
    hostname: `${disk.name}\n`,
    hosts: '127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n',
    passwd: 'root:x:0:0:root:/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n',
    group: 'root:x:0:\nnode:x:1000:\n',
    timezone: 'Etc/UTC\n',
    'os-release': 'PRETTY_NAME="Linux"\nNAME="Linux"\nID=linux\n',
    'nsswitch.conf': 'hosts: files dns\n',
    'resolv.conf': 'nameserver 127.0.0.1\n',
  })
}

function plantDevices(disk: Disk, dev: Directory): void {
  const entropy = new Entropy(disk.kernel.choices.seed, `disk ${disk.name} /dev/urandom`)
  const random = (minor: number): Device => ({
    rdev: 0x100 + minor,
    read: (target) => {
      entropy.fill(target)
      return target.length
    },
    write: (bytes) => bytes.length,
  })
  const zeros = (target: Uint8Array): number => {
    target.fill(0)
    return target.length
  }
  put(dev, 'null', disk.newDevice(0o666, { rdev: 0x103, read: () => 0, write: (bytes) => bytes.length }))
  put(dev, 'zero', disk.newDevice(0o666, { rdev: 0x105, read: zeros, write: (bytes) => bytes.length }))
  put(dev, 'full', disk.newDevice(0o666, { rdev: 0x107, read: zeros, write: () => fail('ENOSPC') }))
  put(dev, 'random', disk.newDevice(0o666, random(8)))
  put(dev, 'urandom', disk.newDevice(0o666, random(9)))
  put(dev, 'fd', disk.newSymlink('/proc/self/fd'))
  put(dev, 'stdin', disk.newSymlink('/proc/self/fd/0'))
  put(dev, 'stdout', disk.newSymlink('/proc/self/fd/1'))
  put(dev, 'stderr', disk.newSymlink('/proc/self/fd/2'))
  const shm = disk.newDirectory(dev, 0o1777)
  put(dev, 'shm', shm)
}

function plantTexts(
  disk: Disk,
  directory: Directory,
  texts: Record<string, string>,
  permissions = 0o644,
): void {
  for (const [name, text] of Object.entries(texts)) {
    const file = disk.newFile(permissions)
    file.data.write(0, encodeAscii(text), 0)
    file.data.sync()
    put(directory, name, file)
  }
}

/** Makes a directory and those above it that are missing. What stands here is on the medium from the start. */
function makeDirectories(disk: Disk, root: Directory, path: string, permissions: number): Directory {
  let directory = root
  for (const name of path.split('/')) {
    let next = directory.lookup(name)
    if (!(next instanceof Directory)) {
      next = disk.newDirectory(directory, permissions)
      put(directory, name, next)
    }
    directory = next as Directory
  }
  return directory
}

function put(directory: Directory, name: string, inode: Inode): void {
  inode.links = 1
  directory.put(name, inode)
}
