/**
 * What the pages point to is there: links between pages with their anchors, files of the project, and the files that the
 * walks of docs/architecture.md pass.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = new URL('../..', import.meta.url).pathname
const NODES_OWN = /^test\/(parallel|sequential|es-module|async-hooks)$/

const pagesBelow = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name))

const PAGES = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...pagesBelow('docs'), ...pagesBelow('skills')]

/** A page without its code blocks. */
function prose(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8').replace(/^ *```[\s\S]*?^ *```$/gm, '')
}

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page: string): Set<string> {
  return new Set(
    [...prose(page).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
      heading
        .trim()
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replace(/\s/g, '-'),
    ),
  )
}

/** Why a link of a page leads nowhere, or null. */
function deadEnd(page: string, link: string): string | null {
  const [path, anchor] = link.split('#')
  const target = path === '' ? page : join(dirname(page), path)
  if (!existsSync(join(ROOT, target))) return `${page}: ${link} is no file`
  if (anchor === undefined || !target.endsWith('.md') || anchorsOf(target).has(anchor)) return null
  return `${page}: ${target} has no heading for #${anchor}`
}

describe('the pages', () => {
  it('link to files and headings that exist', () => {
    const links = PAGES.flatMap((page) =>
      [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => ({ page, link })),
    ).filter(({ link }) => !/^[a-z]+:/.test(link))
    expect(links.length).toBeGreaterThan(100)
    expect(links.map(({ page, link }) => deadEnd(page, link)).filter((reason) => reason !== null)).toEqual([])
  })

  it('notice a link to a file or a heading that does not exist', () => {
    expect(deadEnd('README.md', 'docs/no-page.md')).toBe('README.md: docs/no-page.md is no file')
    expect(deadEnd('docs/cli.md', 'simulation.md#no-heading')).toContain('no heading for #no-heading')
    expect(deadEnd('docs/cli.md', '#wavetank-run')).toBeNull()
  })

  it('name files of the project that exist', () => {
    const dead = PAGES.flatMap((page) =>
      [...prose(page).matchAll(/`((?:src|test|examples|bench|scripts|docs|evals|skills)\/[\w./-]*\w)`/g)]
        .filter(([, path]) => !NODES_OWN.test(path) && !existsSync(join(ROOT, path)))
        .map(([, path]) => `${page}: ${path}`),
    )
    expect(dead).toEqual([])
  })
})

describe('the walks of docs/architecture.md', () => {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })

  it('pass files that exist', () => {
    const walks = prose('docs/architecture.md').split('## Three walks')[1].split(/^## /m)[0]
    const passed = [...walks.matchAll(/`([\w/-]+\.ts)`/g)].map(([, path]) => path.replace(/^src\//, ''))
    expect(passed.length).toBeGreaterThan(40)
    expect(
      passed.filter((path) => !files.some((file) => file === path || file.endsWith(`/${path}`))),
    ).toEqual([])
  })
})
