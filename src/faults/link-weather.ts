/**
 * Several faults may hold on one link at a time. This keeps what each of them changed, and sets the link to its own
 * configuration plus all changes in force, whichever of them ends first.
 */
import type { Link, LinkConfig } from '../world/network/link.ts'

const changes = new WeakMap<Link, Partial<LinkConfig>[]>()

/** Puts a change in force; the function returned takes it back. */
export function changeLink(link: Link, change: Partial<LinkConfig>): () => void {
  let inForce = changes.get(link)
  if (inForce === undefined) changes.set(link, (inForce = []))
  inForce.push(change)
  apply(link, inForce)
  return () => {
    inForce.splice(inForce.indexOf(change), 1)
    apply(link, inForce)
  }
}

function apply(link: Link, inForce: readonly Partial<LinkConfig>[]): void {
  link.restore()
  for (const change of inForce) link.configure(change)
}
