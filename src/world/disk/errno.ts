/**
 * How disk operations fail: by throwing the one constant of the error code. A failure carries no stack and no message
 * of its own; the layer above makes the error that a program sees, with its own system call and paths. Constants,
 * because a module resolver asks for hundreds of files that do not exist.
 */
export type DiskErrorCode =
  | 'EACCES'
  | 'EAGAIN'
  | 'EBADF'
  | 'EBUSY'
  | 'EEXIST'
  | 'EFBIG'
  | 'EINVAL'
  | 'EIO'
  | 'EISDIR'
  | 'ELOOP'
  | 'EMFILE'
  | 'EMLINK'
  | 'ENAMETOOLONG'
  | 'ENODEV'
  | 'ENOENT'
  | 'ENOSPC'
  | 'ENOTDIR'
  | 'ENOTEMPTY'
  | 'ENOTSUP'
  | 'ENXIO'
  | 'EPERM'
  | 'EROFS'
  | 'ESPIPE'

export class DiskFailure extends Error {
  override readonly name = 'DiskFailure'
  readonly code: DiskErrorCode
  constructor(code: DiskErrorCode) {
    super(code)
    this.code = code
  }
}

const failures = new Map<DiskErrorCode, DiskFailure>()

/** Throws the failure of that code. */
export function fail(code: DiskErrorCode): never {
  let failure = failures.get(code)
  if (failure === undefined) failures.set(code, (failure = new DiskFailure(code)))
  throw failure
}
