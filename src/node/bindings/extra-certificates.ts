/**
 * `NODE_EXTRA_CA_CERTS`: certificates that a process trusts besides those that Node ships. Node reads the variable and the
 * file in C++, from the real environment and disk; here they are the process's.
 */
import { current } from '../current.ts'
import type { NodeProcess } from '../process.ts'

export interface NativeContext {
  addRootCerts(): void
  addCACert(pem: string): void
}

const ofProcess = new WeakMap<NodeProcess, readonly string[]>()

/** The further certificates of a process, read once. */
export function extraRootCertificates(process: NodeProcess): readonly string[] {
  let certificates = ofProcess.get(process)
  if (certificates === undefined) ofProcess.set(process, (certificates = read(process)))
  return certificates
}

function read(process: NodeProcess): readonly string[] {
  const path: string | undefined = process.object.env.NODE_EXTRA_CA_CERTS
  if (!path) return []
  try {
    const text: string = process.modules.require('fs').readFileSync(path, 'latin1')
    return text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []
  } catch {
    process.object.emitWarning(
      `Ignoring extra certs from \`${path}\`, load failed: error:80000002:system library::No such file or directory`,
    )
    return []
  }
}

/** A native context class that trusts the further certificates wherever it trusts Node's. */
export function extraCertificates(Native: new () => NativeContext): new () => NativeContext {
  const made = {
    SecureContext: class extends Native {
      override addRootCerts(): void {
        super.addRootCerts()
        for (const pem of extraRootCertificates(current())) this.addCACert(pem)
      }
    },
  }
  return made.SecureContext
}
