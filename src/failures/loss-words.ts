/**
 * What a power loss took from a disk, in words for people: a phrase for each name and each file. A program that replaces
 * one file again and again loses the same change of names often: that is one phrase with a count.
 */
import { round } from '../kernel/arithmetic.ts'
import type { ContentLoss, DiskLoss } from '../world/disk/disk-loss.ts'

export function lossesInWords(losses: readonly DiskLoss[]): string[] {
  const names = new Map<string, { times: number; readonly sinceUs: number }>()
  const contents: string[] = []
  for (const loss of losses) {
    if (loss.what === 'content') {
      contents.push(`loses ${contentInWords(loss)}`)
      continue
    }
    const { what, path, to, sinceUs } = loss
    const words = `loses the ${NAMES[what]} ${path}${to === null ? '' : ` → ${to}`}`
    const known = names.get(words)
    if (known === undefined) names.set(words, { times: 1, sinceUs })
    else known.times++
  }
  const changes = [...names].map(([words, { times, sinceUs }]) => {
    return `${words}${times === 1 ? '' : ` × ${times}`}, not synced since ${moment(sinceUs)}`
  })
  return [...changes, ...contents]
}

const NAMES = {
  create: 'new name',
  remove: 'removal of',
  replace: 'replacement of',
  rename: 'rename',
} as const

function contentInWords({
  path,
  sinceUs,
  beforeBytes,
  afterBytes,
  lostPages,
  tornPages,
}: ContentLoss): string {
  const since =
    sinceUs === null ? 'although the disk said that it was synced' : `not synced since ${moment(sinceUs)}`
  if (afterBytes < beforeBytes)
    return `${beforeBytes - afterBytes} of ${beforeBytes} bytes of ${path}, ${since}`
  if (afterBytes > beforeBytes)
    return `the truncation of ${path} from ${afterBytes} to ${beforeBytes} bytes, ${since}`
  const pages = [
    ...(lostPages === 0 ? [] : [`what was written to ${pagesOf(lostPages)}`]),
    ...(tornPages === 0 ? [] : [`sectors of ${pagesOf(tornPages)}`]),
  ]
  return `${pages.join(' and ')} of ${path}, ${since}`
}

function pagesOf(count: number): string {
  return count === 1 ? '1 page' : `${count} pages`
}

function moment(us: number): string {
  return `${(round(us / 1000) / 1000).toFixed(3)}s`
}
