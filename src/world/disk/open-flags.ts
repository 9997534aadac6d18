/** Linux's open flags, those that matter here. O_SYNC contains O_DSYNC, and what it adds (times) is not modelled. */
export const O_WRONLY = 0o1
const O_ACCMODE = 0o3
export const O_CREAT = 0o100
export const O_EXCL = 0o200
export const O_TRUNC = 0o1000
export const O_APPEND = 0o2000
export const O_DSYNC = 0o10000
export const O_DIRECTORY = 0o200000
export const O_NOFOLLOW = 0o400000
export const O_NOATIME = 0o1000000
export const O_TMPFILE = 0o20000000

export function isReadable(flags: number): boolean {
  return (flags & O_ACCMODE) !== O_WRONLY
}

export function isWritable(flags: number): boolean {
  return (flags & O_ACCMODE) !== 0
}
