/**
 * The files that every Linux machine has and programs look for: `/tmp`, a home, `/dev/null` and its kin, `/proc/self`,
 * a few files below `/etc`. Small on purpose; contents say what the rest of the world says (one user, who owns
 * everything; UTC; the host's own name). `/data`, `/srv` and `/var/lib` are there to be written to.
 *
 * It is an image like the project's, so that files cost nothing until a program looks at them. An image cannot hold
 * devices and `/proc/self`; these are made when they are looked up.
 */
import { Entropy } from '../../kernel/prng.ts'
import type { Directory, ImageDirectory } from './directory.ts'
import type { Disk } from './disk.ts'
import { fail } from './errno.ts'
import type { ImageFacts, ImageKind, ImageReader } from './image.ts'
import type { Device, Inode } from './inode.ts'
import { encodeAscii, ProcSelf } from './proc.ts'

const DIRECTORIES =
  'bin data dev/shm etc home/node opt proc/sys/kernel root run srv tmp usr/bin usr/lib usr/local/bin var/lib var/log var/tmp'

const PERMISSIONS: Readonly<Record<string, number>> = {
  '/dev/shm': 0o1777,
  '/proc': 0o555,
  '/tmp': 0o1777,
  '/var/tmp': 0o1777,
  // Programs look for their own executable; there is nothing in it but the sign that it is one.
  '/usr/local/bin/node': 0o755,
}

/** The host's name stands for `%`. */
const TEXTS: Readonly<Record<string, string>> = {
  '/etc/group': 'root:x:0:\nnode:x:1000:\n',
  '/etc/hostname': '%\n',
  '/etc/hosts': '127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n',
  '/etc/nsswitch.conf': 'hosts: files dns\n',
  '/etc/os-release': 'PRETTY_NAME="Linux"\nNAME="Linux"\nID=linux\n',
  '/etc/passwd': 'root:x:0:0:root:/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n',
  '/etc/resolv.conf': 'nameserver 127.0.0.1\n',
  '/etc/timezone': 'Etc/UTC\n',
  '/proc/sys/kernel/hostname': '%\n',
  '/proc/sys/kernel/ostype': 'Linux\n',
  '/usr/local/bin/node': '\u007fELF',
}

const LINKS: Readonly<Record<string, string>> = {
  '/dev/fd': '/proc/self/fd',
  '/dev/stdin': '/proc/self/fd/0',
  '/dev/stdout': '/proc/self/fd/1',
  '/dev/stderr': '/proc/self/fd/2',
}

type Make = (disk: Disk, parent: Directory) => Inode

const zeros = (target: Uint8Array): number => {
  target.fill(0)
  return target.length
}
const swallow = (bytes: Uint8Array): number => bytes.length

/** Inodes that are made rather than read. The two random devices of a machine draw from one source each time they are made. */
const MADE: Readonly<Record<string, Make>> = {
  '/dev/null': (disk) => disk.newDevice(0o666, { rdev: 0x103, read: () => 0, write: swallow }),
  '/dev/zero': (disk) => disk.newDevice(0o666, { rdev: 0x105, read: zeros, write: swallow }),
  '/dev/full': (disk) => disk.newDevice(0o666, { rdev: 0x107, read: zeros, write: () => fail('ENOSPC') }),
  '/dev/random': (disk) => disk.newDevice(0o666, random(disk, 8)),
  '/dev/urandom': (disk) => disk.newDevice(0o666, random(disk, 9)),
  '/proc/self': (disk, parent) => new ProcSelf(disk, parent),
}

function random(disk: Disk, minor: number): Device {
  const entropy = new Entropy(disk.kernel.choices.seed, `disk ${disk.name} /dev/urandom ${minor}`)
  return {
    rdev: 0x100 + minor,
    read: (target) => {
      entropy.fill(target)
      return target.length
    },
    write: swallow,
  }
}

/** Names and kinds by directory: the same on every machine. */
const LISTINGS: ReadonlyMap<string, ReadonlyMap<string, ImageKind>> = listings()

function listings(): Map<string, Map<string, ImageKind>> {
  const all = new Map<string, Map<string, ImageKind>>([['/', new Map()]])
  const add = (path: string, kind: ImageKind): void => {
    const slash = path.lastIndexOf('/')
    const parent = slash === 0 ? '/' : path.slice(0, slash)
    if (!all.has(parent)) add(parent, 'directory')
    all.get(parent)!.set(path.slice(slash + 1), kind)
    if (kind === 'directory' && !all.has(path)) all.set(path, new Map())
  }
  for (const path of DIRECTORIES.split(' ')) add(`/${path}`, 'directory')
  for (const path of Object.keys(TEXTS)) add(path, 'file')
  for (const path of Object.keys(LINKS)) add(path, 'symlink')
  for (const path of Object.keys(MADE)) add(path, path === '/proc/self' ? 'directory' : 'file')
  return all
}

class StandardTree implements ImageReader {
  readonly hashes = new Map<string, string>()
  private readonly hostName: string

  constructor(hostName: string) {
    this.hostName = hostName
  }

  list(path: string): ReadonlyMap<string, ImageKind> {
    return LISTINGS.get(path)!
  }

  facts(path: string): ImageFacts {
    const text = TEXTS[path]
    const permissions = PERMISSIONS[path] ?? (text === undefined ? 0o755 : 0o644)
    return { sizeBytes: text === undefined ? 0 : this.read(path).length, permissions }
  }

  read(path: string): Uint8Array {
    return encodeAscii(TEXTS[path].replace('%', this.hostName))
  }

  readLink(path: string): string {
    return LINKS[path]
  }
}

/** The root directory of a machine, as an image. */
export function standardRoot(disk: Disk): ImageDirectory {
  const materialise: ImageDirectory['materialise'] = (kind, source, parent) => {
    const make = MADE[source.path]
    return make === undefined ? disk.imageInode(kind, source, parent, materialise) : make(disk, parent)
  }
  return { reader: new StandardTree(disk.name), path: '/', place: '/', key: '/', materialise }
}
