/**
 * What a TLS context trusts. `NODE_EXTRA_CA_CERTS` names certificates that a process trusts besides those that Node ships;
 * Node reads the variable and the file in C++, from the real environment and disk, and here they are the process's. The
 * context class notes all that it trusts, for the judgement by the simulated clock (certificate-clock.ts). Keys of session
 * tickets that a program looks at come from the process's entropy.
 */
import { Buffer } from 'node:buffer'
import { current } from '../../process/current.ts'
import type { RunningProcess } from '../../process/running-process.ts'
import { noteAnchors, trustOf } from './certificate-clock.ts'

export interface NativeContext {
  addRootCerts(): void
  addCACert(pem: unknown): void
  addCRL(pem: unknown): void
  setAllowPartialTrustChain?(): void
  getTicketKeys(): Buffer
  setTicketKeys(keys: Buffer): unknown
}

const ofProcess = new WeakMap<RunningProcess, readonly string[]>()

/** The further certificates of a process, read once. */
export function extraRootCertificates(process: RunningProcess): readonly string[] {
  let certificates = ofProcess.get(process)
  if (certificates === undefined) ofProcess.set(process, (certificates = read(process)))
  return certificates
}

function read(process: RunningProcess): readonly string[] {
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

const TICKET_KEYS_BYTES = 48

/** A native context class that trusts the further certificates wherever it trusts Node's, and notes what it trusts. */
export function trustingContext(Native: new () => NativeContext): new () => NativeContext {
  const made = {
    SecureContext: class extends Native {
      private hasTicketKeys = false

      override setTicketKeys(keys: Buffer): unknown {
        this.hasTicketKeys = true
        return super.setTicketKeys(keys)
      }

      override getTicketKeys(): Buffer {
        if (!this.hasTicketKeys) {
          const keys = Buffer.alloc(TICKET_KEYS_BYTES)
          current().entropy.fill(keys)
          this.setTicketKeys(keys)
        }
        return super.getTicketKeys()
      }

      override addRootCerts(): void {
        super.addRootCerts()
        trustOf(this).hasRoots = true
        for (const pem of extraRootCertificates(current())) this.addCACert(pem)
      }

      override addCACert(pem: unknown): void {
        super.addCACert(pem)
        noteAnchors(trustOf(this), pem)
      }

      override addCRL(pem: unknown): void {
        super.addCRL(pem)
        trustOf(this).hasRevocationLists = true
      }
    },
  }
  const { setAllowPartialTrustChain } = Native.prototype
  if (setAllowPartialTrustChain !== undefined) {
    made.SecureContext.prototype.setAllowPartialTrustChain = function (this: NativeContext): void {
      Reflect.apply(setAllowPartialTrustChain, this, [])
      trustOf(this).allowsPartialChains = true
    }
  }
  return made.SecureContext
}
