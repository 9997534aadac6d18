/**
 * The judgement of a peer's certificate by the wall clock of the process's host. OpenSSL compares the dates of
 * certificates with the real clock and has no option for another one, so `verifyError` of the native wrap is asked
 * first, and what it says about dates is put right here.
 *
 * OpenSSL keeps only the last error of a chain, and dates are what it looks at last: "has expired" may hide "not
 * trusted". So when it complains about a date, the chain is judged here without dates: issuers, signatures, which
 * certificates may issue, what the leaf may be used for, and whether the context trusts the chain's end. Three things
 * are not judged here, and the real clock stays in force for them: contexts with revocation lists, trust that comes
 * from a PKCS#12 file, and constraints on names and lengths of paths.
 */
import { Buffer } from 'node:buffer'
import { X509Certificate } from 'node:crypto'
import { rootCertificates } from 'node:tls'
import { floor } from '../../../kernel/arithmetic.ts'
import type { RunningProcess } from '../../process/running-process.ts'
import { ProcessSlot } from '../../process/process-slot.ts'

/** What a context trusts, as far as it is known. */
export interface TrustRecord {
  /** DER certificates in hexadecimal. */
  readonly anchors: Set<string>
  hasRoots: boolean
  hasRevocationLists: boolean
  allowsPartialChains: boolean
}

const trust = new WeakMap<object, TrustRecord>()

/** The record of a native context; made when it is first asked for. */
export function trustOf(context: object): TrustRecord {
  let record = trust.get(context)
  if (record === undefined) {
    record = { anchors: new Set(), hasRoots: false, hasRevocationLists: false, allowsPartialChains: false }
    trust.set(context, record)
  }
  return record
}

const CERTIFICATE =
  /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]*-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g

/** Notes the certificates of a PEM text as trusted. */
export function noteAnchors(record: TrustRecord, pem: unknown): void {
  const text = typeof pem === 'string' ? pem : ArrayBuffer.isView(pem) ? bytesOf(pem).toString('latin1') : ''
  for (const [each] of text.matchAll(CERTIFICATE)) {
    try {
      record.anchors.add(new X509Certificate(each).raw.toString('hex'))
    } catch {
      // OpenSSL refuses it too, and says so.
    }
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

let roots: Set<string> | undefined

function isRoot(hex: string): boolean {
  roots ??= new Set(rootCertificates.map((pem) => new X509Certificate(pem).raw.toString('hex')))
  return roots.has(hex)
}

/** Errors of OpenSSL about dates. */
const DATES = new Set(['CERT_NOT_YET_VALID', 'CERT_HAS_EXPIRED'])
const MESSAGES = {
  CERT_NOT_YET_VALID: 'certificate is not yet valid',
  CERT_HAS_EXPIRED: 'certificate has expired',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'unable to verify the first certificate',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'unable to get local issuer certificate',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'self-signed certificate',
  SELF_SIGNED_CERT_IN_CHAIN: 'self-signed certificate in certificate chain',
  INVALID_CA: 'invalid CA certificate',
  INVALID_PURPOSE: 'unsuitable certificate purpose',
  CERT_SIGNATURE_FAILURE: 'certificate signature failure',
} as const

type Verdict = keyof typeof MESSAGES

/** A resumed session has the verdict of the handshake that it comes from; by the leaf. */
const verdicts = new ProcessSlot<Map<string, Error | null>>()

/** Makes `verifyError` of a native wrap judge dates by the clock of the process's host. */
export function judgeByHostClock(
  wrapped: any,
  context: object,
  isServer: boolean,
  process: RunningProcess,
): void {
  const native = wrapped.verifyError as (() => Error | null) | undefined
  if (native === undefined) return
  wrapped.verifyError = (): Error | null => {
    const error: Error | null = Reflect.apply(native, wrapped, [])
    const chain = chainOf(wrapped)
    if (chain.length === 0) return error
    const known = verdicts.get(process) ?? verdicts.set(process, new Map())
    const leaf = chain[0].fingerprint256
    if (wrapped.isSessionReused() === true && known.has(leaf)) return known.get(leaf)!
    const used: object = wrapped.sni_context ?? context
    const verdict = judge(error, chain, trustOf(used), isServer, process.placement.wallMs())
    known.set(leaf, verdict)
    return verdict
  }
}

function judge(
  error: Error | null,
  chain: readonly X509Certificate[],
  record: TrustRecord,
  isServer: boolean,
  wallMs: number,
): Error | null {
  const date = dateVerdict(chain, wallMs)
  if (date !== null) return date
  const { code } = (error ?? {}) as { code?: string }
  if (code === undefined || !DATES.has(code) || record.hasRevocationLists) return error
  const verdict = trustVerdict(chain, record, isServer)
  return verdict === null ? null : errorOf(verdict, MESSAGES[verdict])
}

/** The last complaint about a date, from the root to the leaf, as OpenSSL keeps it. */
function dateVerdict(chain: readonly X509Certificate[], wallMs: number): Error | null {
  const now = floor(wallMs / 1000)
  for (const certificate of chain) {
    const [from, to] = [seconds(certificate.validFrom), seconds(certificate.validTo)]
    const verdict = from > now ? 'CERT_NOT_YET_VALID' : to <= now ? 'CERT_HAS_EXPIRED' : null
    if (verdict === null) continue
    const clock = new RealDate(now * 1000).toISOString()
    return errorOf(verdict, `${MESSAGES[verdict]} (the host's clock shows ${clock})`)
  }
  return null
}

const RealDate = Date

function seconds(date: string): number {
  return RealDate.parse(date) / 1000
}

/** The complaint about a chain whose dates are no matter; null if it is trusted. */
function trustVerdict(
  chain: readonly X509Certificate[],
  record: TrustRecord,
  isServer: boolean,
): Verdict | null {
  const trusted = (each: X509Certificate): boolean => {
    const hex = each.raw.toString('hex')
    return record.anchors.has(hex) || (record.hasRoots && isRoot(hex))
  }
  const usages: readonly string[] | undefined = chain[0].keyUsage // some have none
  if (usages !== undefined && !usages.includes(isServer ? CLIENT_USAGE : SERVER_USAGE))
    return 'INVALID_PURPOSE'
  for (const [i, certificate] of chain.entries()) {
    if (i > 0 && !certificate.ca) return 'INVALID_CA'
    const isSelfIssued = certificate.checkIssued(certificate)
    if (trusted(certificate) && (isSelfIssued || record.allowsPartialChains)) return null
    if (isSelfIssued) return i === 0 ? 'DEPTH_ZERO_SELF_SIGNED_CERT' : 'SELF_SIGNED_CERT_IN_CHAIN'
    const issuer = chain.at(i + 1)
    if (issuer === undefined)
      return i === 0 ? 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' : 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'
    if (!certificate.verify(issuer.publicKey)) return 'CERT_SIGNATURE_FAILURE'
  }
  return 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'
}

const SERVER_USAGE = '1.3.6.1.5.5.7.3.1'
const CLIENT_USAGE = '1.3.6.1.5.5.7.3.2'

/** The peer's chain with the issuers that the context knows, leaf first. */
function chainOf(wrapped: any): X509Certificate[] {
  const chain: X509Certificate[] = []
  const seen = new Set<unknown>()
  let each = wrapped.getPeerCertificate(true)
  while (each?.raw !== undefined && !seen.has(each)) {
    seen.add(each)
    chain.push(new X509Certificate(each.raw))
    each = each.issuerCertificate
  }
  return chain
}

function errorOf(code: Verdict, message: string): Error {
  return Object.assign(new Error(message), { code })
}
