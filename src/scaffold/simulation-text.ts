/**
 * The text of a simulation file for programs that were found: their processes, and a workload of the kit with its checker.
 * The client assumes a plain HTTP interface, which `INTERFACES` names in one sentence each; where the program has another,
 * the six lines of the client are what to change.
 */
import type { FoundProgram } from './found-program.ts'
import { PLAIN_RESOURCE, type Resource } from './resource.ts'

export interface SimulationChoices {
  readonly name: string
  readonly programs: readonly FoundProgram[]
  /** The program that clients talk to. */
  readonly asked: FoundProgram
  readonly port: number
  readonly model: ModelName
  /** What a register is at; null if the program's source does not show it. */
  readonly resource: Resource | null
  /** How many processes of the program that clients talk to. */
  readonly count: number
}

interface Interface {
  /** What the client expects of the program. */
  readonly text: string
  /** The lines of the client, after `connect`. */
  readonly client: readonly string[]
}

const OK = 'if (!answer.ok) throw new Error(`status ${answer.status}`)'

/** By workload of `wavetank/workloads`. */
const INTERFACES = {
  register: registerAt(PLAIN_RESOURCE),
  set: {
    text: 'GET / answers all elements as a JSON array; POST / adds one',
    client: [
      'add: async (url, element) => {',
      "  const answer = await fetch(url, { method: 'POST', body: String(element), ...limit() })",
      `  ${OK}`,
      '},',
      'read: async (url) => {',
      '  const answer = await fetch(url, limit())',
      `  ${OK}`,
      '  return answer.json() as Promise<number[]>',
      '},',
    ],
  },
  counter: {
    text: 'GET / answers the count; POST / adds the number in its body',
    client: [
      'add: async (url, delta) => {',
      "  const answer = await fetch(url, { method: 'POST', body: String(delta), ...limit() })",
      `  ${OK}`,
      '},',
      'read: async (url) => {',
      '  const answer = await fetch(url, limit())',
      `  ${OK}`,
      '  return answer.json() as Promise<number>',
      '},',
    ],
  },
  queue: {
    text: 'POST / enqueues; DELETE / dequeues and answers the element as JSON, or 204 if the queue is empty',
    client: [
      'enqueue: async (url, element) => {',
      "  const answer = await fetch(url, { method: 'POST', body: String(element), ...limit() })",
      `  ${OK}`,
      '},',
      'dequeue: async (url) => {',
      "  const answer = await fetch(url, { method: 'DELETE', ...limit() })",
      `  ${OK}`,
      '  return answer.status === 204 ? null : answer.json()',
      '},',
    ],
  },
  uniqueIds: {
    text: 'POST / answers a new id',
    client: [
      'generate: async (url) => {',
      "  const answer = await fetch(url, { method: 'POST', ...limit() })",
      `  ${OK}`,
      '  return answer.text()',
      '},',
    ],
  },
} satisfies Readonly<Record<string, Interface>>

export type ModelName = keyof typeof INTERFACES | 'health'

export const MODEL_NAMES: readonly ModelName[] = [
  'health',
  ...(Object.keys(INTERFACES) as (keyof typeof INTERFACES)[]),
]

/** What a client of a model expects of the program. */
export function interfaceOf(model: ModelName, resource: Resource | null): string {
  return model === 'health' ? 'GET / answers, with a status below 500' : clientInterface(model, resource).text
}

function clientInterface(model: keyof typeof INTERFACES, resource: Resource | null): Interface {
  return model === 'register' && resource !== null ? registerAt(resource) : INTERFACES[model]
}

function registerAt({ path, json }: Resource): Interface {
  const value = json ? 'headers, body: JSON.stringify({ value })' : 'body: String(value)'
  return {
    text: `GET ${path}/KEY answers ${json ? '{ "value": … }' : 'the value as JSON'}, or 404; PUT ${path}/KEY sets it`,
    client: [
      'read: async (url, key) => {',
      `  const answer = await fetch(\`\${url}${path}/\${key}\`, limit())`,
      '  if (answer.status === 404) return null',
      `  ${OK}`,
      json ? '  return ((await answer.json()) as { value: number }).value' : '  return answer.json()',
      '},',
      'write: async (url, key, value) => {',
      ...(json ? ["  const headers = { 'content-type': 'application/json' }"] : []),
      `  const answer = await fetch(\`\${url}${path}/\${key}\`, { method: 'PUT', ${value}, ...limit() })`,
      `  ${OK}`,
      '},',
    ],
  }
}

export function simulationText(choices: SimulationChoices): string {
  const { name, model, asked } = choices
  return [
    `// Run with: npx wavetank run ${name} --level stormy`,
    "import { simulation } from 'wavetank'",
    ...(model === 'health' ? [] : [`import { ${model} } from 'wavetank/workloads'`]),
    '',
    `// The client below expects: ${interfaceOf(model, choices.resource)}. Change it to what ${asked.entry} does.`,
    'const limit = () => ({ signal: AbortSignal.timeout(1000) })',
    '',
    `export default simulation('${name}', {`,
    '  processes: {',
    ...choices.programs.flatMap((program) => processLines(program, choices)),
    '  },',
    ...(model === 'health' ? healthLines(choices) : workloadLines(choices, model)),
    '})',
    '',
  ].join('\n')
}

function processLines(program: FoundProgram, { asked, port, count }: SimulationChoices): string[] {
  const isAsked = program === asked
  const env = { ...program.env, ...(isAsked ? { PORT: String(port) } : {}) }
  const many = isAsked ? count : program.count
  return [
    `    ${propertyName(program.name)}: {`,
    `      entry: './${program.entry}',`,
    ...(many > 1 ? [`      count: ${many},`] : []),
    ...(Object.keys(env).length > 0 ? [`      env: ${literal(env)},`] : []),
    '    },',
  ]
}

function workloadLines(
  { asked, port, resource }: SimulationChoices,
  model: keyof typeof INTERFACES,
): string[] {
  return [
    `  workload: ${model}<string>({`,
    `    connect: ({ client, hosts }) => \`http://\${${hostsOf(asked)}[client % ${hostsOf(asked)}.length]}:${port}\`,`,
    ...clientInterface(model, resource).client.map((line) => `    ${line}`),
    '  }),',
  ]
}

function healthLines({ asked, port }: SimulationChoices): string[] {
  return [
    '  workload: {',
    '    async run({ operation, hosts, rng }) {',
    "      await operation('get', async () => {",
    `        const answer = await fetch(\`http://\${rng.pick(${hostsOf(asked)})}:${port}/\`, limit())`,
    '        return answer.status',
    '      })',
    '    },',
    '  },',
    '  invariants: {',
    "    'no answer is an error of the server': ({ events }) => {",
    "      for (const { data } of events.fresh('operation'))",
    "        if (data.type === 'ok' && Number(data.value) >= 500) return `a client got status ${data.value}`",
    '      return true',
    '    },',
    '  },',
  ]
}

function hostsOf({ name }: FoundProgram): string {
  return /^\w+$/.test(name) ? `hosts.${name}` : `hosts['${name}']`
}

function literal(env: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(env).map(([key, value]) => `${propertyName(key)}: ${quoted(value)}`)
  return `{ ${pairs.join(', ')} }`
}

function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name)
}

function quoted(text: string): string {
  const escaped = text.replace(/[\\']/g, '\\$&').replace(/\n/g, '\\n').replace(/\r/g, '\\r')
  return `'${escaped}'`
}
