/**
 * The zoo: published packages with known races. A race in `races/` imports its package by its plain name; the world it
 * runs in has either the version with the bug or the one without on its disk.
 */
import { readdirSync, readFileSync } from 'node:fs'
import type { RaceProgram } from '../../src/explore/running/program.ts'
import { createRace } from '../../src/runners/race.ts'
import { exploreFile, raceProgram, type Tank } from '../../src/explore/search/race-file.ts'
import type { Exploration } from '../../src/explore/search/exploration.ts'
import type { ExploreOptions } from '../../src/explore/search/options.ts'
import { HOST_MODULES } from '../../src/host/host-modules.ts'
import { projectImage } from '../../src/node/index.ts'
import type { ImageMount } from '../../src/world/disk/image.ts'

export const FOLDER = new URL('.', import.meta.url).pathname.replace(/\/$/, '')

export type Version = 'buggy' | 'fixed'

export interface Exhibit {
  /** The package's alias in package.json without its version, and its race in `races/`. */
  readonly name: string
  /** What its race imports, where that is not its name: one package can be there with two bugs. */
  readonly imported?: string
  readonly buggy: string
  readonly fixed: string
  /** What its users see when it happens. */
  readonly symptom: RegExp
  /** Whether its race has a server in a process of its own: a schedule then takes ten times as long. */
  readonly hasServer?: true
}

const STUCK = /^no task can go on/

export const EXHIBITS: readonly Exhibit[] = [
  { name: 'async-lock', buggy: 'async-lock 1.3.1', fixed: 'async-lock 1.4.0', symptom: STUCK },
  { name: 'async-mutex', buggy: 'async-mutex 0.2.4', fixed: 'async-mutex 0.2.6', symptom: STUCK },
  { name: 'cache-manager', buggy: 'cache-manager 6.3.2', fixed: 'cache-manager 6.4.0', symptom: STUCK },
  { name: 'cockatiel', buggy: 'cockatiel 3.2.1', fixed: 'cockatiel 4.0.0', symptom: STUCK },
  { name: 'fastq', buggy: 'fastq 1.16.0', fixed: 'fastq 1.17.0', symptom: /jobs at once/ },
  { name: 'generic-pool', buggy: 'generic-pool 3.5.0', fixed: 'generic-pool 3.6.0', symptom: /still open/ },
  { name: 'get-port', buggy: 'get-port 5.0.0', fixed: 'get-port 5.1.0', symptom: /both got/ },
  { name: 'lru-cache', buggy: 'lru-cache 7.13.0', fixed: 'lru-cache 7.13.1', symptom: /object Promise/ },
  { name: 'mkdirp', buggy: 'mkdirp 0.0.3', fixed: 'mkdirp 0.0.6', symptom: /EEXIST/ },
  {
    name: 'mysql2',
    buggy: 'mysql2 3.19.1',
    fixed: 'mysql2 3.20.0',
    symptom: /the connection of/,
    hasServer: true,
  },
  { name: 'pg-pool', buggy: 'pg-pool 2.0.6', fixed: 'pg-pool 2.0.7', symptom: /the client of/ },
  { name: 'queue', buggy: 'queue 4.4.1', fixed: 'queue 4.4.2', symptom: /started \d at once/ },
  {
    name: 'redis-client',
    buggy: '@node-redis/client 1.0.0',
    fixed: '@node-redis/client 1.0.1',
    symptom: /reading 'buffers'/,
    hasServer: true,
  },
  {
    name: 'sequelize-pool-late',
    imported: 'sequelize-pool',
    buggy: 'sequelize-pool 2.3.0',
    fixed: 'sequelize-pool 3.0.0',
    symptom: /are still in use/,
  },
  {
    name: 'sequelize-pool-broken',
    imported: 'sequelize-pool',
    buggy: 'sequelize-pool 6.1.0',
    fixed: 'sequelize-pool 7.1.0',
    symptom: /timed? ?out/i,
  },
  { name: 'sonic-boom', buggy: 'sonic-boom 2.1.0', fixed: 'sonic-boom 2.2.1', symptom: STUCK },
]

/** As much of an exhibit as finds its race. */
export type Visited = Pick<Exhibit, 'name' | 'imported'>

const reader = projectImage()

/** The disk of a world: the races, their servers, and the package in question under its own name. */
function disk({ name, imported = name }: Visited, version: Version): ImageMount[] {
  const packages = readdirSync(`${FOLDER}/node_modules`).filter(
    (folder) => !/^\.|-(buggy|fixed)$/.test(folder) && folder !== imported,
  )
  const folder = (at: string, from: string): ImageMount => ({
    at: `/zoo/${at}`,
    from: `${FOLDER}/${from}`,
    reader,
  })
  return [
    folder('races', 'races'),
    folder('servers', 'servers'),
    folder(`node_modules/${imported}`, `node_modules/${name}-${version}`),
    ...packages.sort().map((other) => folder(`node_modules/${other}`, `node_modules/${other}`)),
  ]
}

const never = (): never => {
  throw new Error('a race of the zoo was declared outside of its world')
}
const race = createRace(
  { test: never, only: never, skip: never },
  { tank: never, keep: never, nowMs: never, note: never },
)

/** The file, the title and the world of an exhibit's race. */
function placeOf(visited: Visited, version: Version) {
  const { name } = visited
  const title = /race\('([^']+)'/.exec(readFileSync(`${FOLDER}/races/${name}.race.mjs`, 'utf8'))![1]
  const tank: Tank = {
    root: '/zoo',
    image: disk(visited, version),
    hostModules: { ...HOST_MODULES, 'wavetank/vitest': { race } },
  }
  return { file: `/zoo/races/${name}.race.mjs`, title, tank }
}

/** Explores the race of an exhibit in one of its versions. */
export function visit(visited: Visited, version: Version, options: ExploreOptions): Promise<Exploration> {
  const { file, title, tank } = placeOf(visited, version)
  return exploreFile(file, title, options, tank)
}

/** The race of a package in one of its versions, to be run under given schedules. */
export function programOf(visited: Visited, version: Version): RaceProgram {
  const { file, title, tank } = placeOf(visited, version)
  return raceProgram(file, title, {}, tank)
}
