/**
 * The nodes of a test, the services beside them and the network between. A node is started, initialised, killed and
 * started again here; a killed node loses its memory and gets `init` again.
 */
import type { Decisions } from '../decisions.ts'
import { sleep, type Machine } from '../machine.ts'
import { Network } from '../network/network.ts'
import type { Message } from '../protocol/envelope.ts'
import type { Rpcs } from '../protocol/rpcs.ts'
import { services } from '../services/services.ts'
import { Answers } from './answers.ts'
import { Client, RpcError } from './client.ts'
import { NodeFaults } from './node-fault.ts'
import { NodeProcess } from './node-process.ts'
import type { TestSettings } from './settings.ts'

const INIT_TIMEOUT_MS = 10_000
/** How long an answer may be late, beyond the time-out of its request, at the end of a test. */
const LATE_MS = 5000

export interface ClusterHooks {
  readonly onLog?: (node: string, line: string) => void
  readonly onSend?: (message: Message) => void
  readonly onReceive?: (message: Message) => void
}

export class Cluster {
  readonly faults = new NodeFaults()
  readonly answers = new Answers()
  readonly network: Network
  readonly nodes: readonly NodeProcess[]
  readonly #settings: TestSettings
  readonly #machine: Machine
  readonly #rpcs: Rpcs
  #nextClient = 0

  constructor(
    settings: TestSettings,
    rpcs: Rpcs,
    machine: Machine,
    decisions: Decisions,
    hooks: ClusterHooks = {},
  ) {
    this.#settings = settings
    this.#machine = machine
    this.#rpcs = rpcs
    const { latencyMs, latencyDistribution: distribution, program } = settings
    const { onLog = () => {}, ...watchers } = hooks
    const network = new Network({ machine, decisions, latencyMs, distribution, ...watchers })
    this.network = network
    for (const [name, service] of Object.entries(services(decisions))) {
      network.attach(name, ({ src, body }) => {
        const reply = { ...service.handle(body, src), in_reply_to: body.msg_id }
        network.send({ src: name, dest: src, body: reply })
      })
    }
    const { faults, answers } = this
    const shared = { program, machine, network, faults, answers, onLog }
    this.nodes = settings.nodes.map((id) => new NodeProcess({ ...shared, id }))
  }

  client(): Client {
    const { network, faults, answers } = this
    const id = `c${this.#nextClient++}`
    return new Client({ id, machine: this.#machine, network, faults, answers, rpcs: this.#rpcs })
  }

  /** Starts nodes and initialises them. False if one does not answer. */
  async start(nodes: readonly NodeProcess[] = this.nodes): Promise<boolean> {
    for (const node of nodes) node.start()
    const started = await Promise.all(nodes.map((node) => this.#initialise(node)))
    return started.every(Boolean)
  }

  /** False if the node does not answer, or is gone before it does. That it is gone is reported by itself. */
  async #initialise(node: NodeProcess): Promise<boolean> {
    const client = this.client()
    try {
      return await Promise.race([this.#askInit(client, node), node.gone.then(() => false)])
    } finally {
      client.close()
    }
  }

  async #askInit(client: Client, node: NodeProcess): Promise<boolean> {
    const request = { type: 'init', node_id: node.id, node_ids: this.#settings.nodes }
    try {
      await client.rpc(node.id, request, INIT_TIMEOUT_MS)
      node.release()
      return true
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      this.faults.add('no-init', node.id, whyNoInit(error, node))
      return false
    }
  }

  /** For the end of a test without faults: nodes that hang are reported, once what is late had time to come. */
  async verifyAnswers(): Promise<void> {
    const { answers, faults, nodes } = this
    const hanging = (): NodeProcess[] =>
      nodes.filter((node) => node.running && answers.unansweredBy(node.id) > 0)
    if (hanging().length > 0) await sleep(this.#machine, LATE_MS)
    for (const node of hanging()) {
      const requests = answers.unansweredBy(node.id)
      const last = requests === 1 ? 'its last request' : `its last ${requests} requests`
      const text = `left ${last} unanswered, without any fault injected.\n${node.lastWords()}`
      faults.add('stopped-answering', node.id, text)
    }
  }

  /** Ends every process and waits until all are gone. */
  async stop(): Promise<void> {
    this.network.close()
    await Promise.all(this.nodes.map((node) => node.kill()))
  }
}

function whyNoInit({ value, message }: RpcError, node: NodeProcess): string {
  if (value !== 'net-timeout') return `did not answer init with init_ok: ${message}.\n${node.lastWords()}`
  return `did not answer init with init_ok within ${INIT_TIMEOUT_MS / 1000} s. A node must write a newline after every message, and flush its stdout.\n${node.lastWords()}`
}
