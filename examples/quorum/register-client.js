/**
 * A register over replicas of which any minority may be gone (Attiya, Bar-Noy, Dolev, "Sharing Memory Robustly in
 * Message-Passing Systems", 1995). A write asks a majority for the greatest stamp and gives a greater one to a majority.
 * A read asks a majority, and gives what it found to a majority before it answers: without that second round, a later
 * read might see an older value. It all rests on any two majorities having a replica in common.
 */
import { isNewer, NOTHING } from './stamp.js'

const ANSWER_MS = 1000

export const majorityOf = (replicas) => Math.floor(replicas / 2) + 1

export class RegisterClient {
  #replicas
  #writer
  #quorum
  /** The number of this client's last stamp, which may not have reached anybody. */
  #last = 0

  /** `writer` is a number that no other client has. */
  constructor(replicas, writer, quorumOf = majorityOf) {
    this.#replicas = replicas
    this.#writer = writer
    this.#quorum = quorumOf(replicas.length)
  }

  async read() {
    const newest = await this.#newest()
    await this.#give(newest)
    return newest.value
  }

  async write(value) {
    const { stamp } = await this.#newest()
    this.#last = Math.max(this.#last, stamp[0]) + 1
    await this.#give({ stamp: [this.#last, this.#writer], value })
  }

  async #newest() {
    const answers = await this.#ask({ method: 'GET' })
    const held = await Promise.all(answers.map((answer) => answer.json()))
    return held.reduce((newest, each) => (isNewer(each.stamp, newest.stamp) ? each : newest), NOTHING)
  }

  async #give(content) {
    await this.#ask({ method: 'PUT', body: JSON.stringify(content) })
  }

  /** The first answers of a quorum; throws when too many replicas do not answer. */
  #ask(request) {
    return new Promise((resolve, reject) => {
      const answers = []
      let silent = 0
      for (const replica of this.#replicas) {
        fetch(`http://${replica}:7100/`, { ...request, signal: AbortSignal.timeout(ANSWER_MS) }).then(
          (answer) => {
            if (answer.ok && answers.push(answer) === this.#quorum) resolve(answers.slice())
            if (!answer.ok) missing()
          },
          () => missing(),
        )
      }
      const missing = () => {
        if (++silent > this.#replicas.length - this.#quorum) reject(new Error('too few replicas answered'))
      }
    })
  }
}
