/**
 * Members leave the cluster and join it again by what the simulation does for it, in the workload's process. A `leave`
 * that does not succeed has not landed. A `join` is tried again every half virtual second, as an operator would: the
 * cluster must be whole after the storm.
 */
import type { Membership } from '../../faults/arena.ts'
import type { MembershipDefinition, ProcessIdentity, WorkloadContext } from '../authoring/definition.ts'
import { isMistake } from './mistake.ts'
import type { WorkloadProcess } from './workload-process.ts'

const RETRY_MS = 500
const MOST_TRIES = 60

export interface MembershipHost {
  readonly workload: WorkloadProcess
  identityOf(name: string): ProcessIdentity
  context(entity: string): WorkloadContext
  /** The simulation's own code is wrong. */
  mistaken(part: string, error: unknown): void
}

export class MembershipChanges implements Membership {
  private readonly definition: MembershipDefinition
  private readonly host: MembershipHost

  constructor(definition: MembershipDefinition, host: MembershipHost) {
    this.definition = definition
    this.host = host
  }

  leave(process: string, completed: () => void): void {
    this.attempt('leave', process, completed, 1)
  }

  join(process: string, completed: () => void): void {
    this.attempt('join', process, completed, MOST_TRIES)
  }

  private attempt(change: 'leave' | 'join', process: string, completed: () => void, tries: number): void {
    const { workload } = this.host
    const failed = (error: unknown): void => {
      if (isMistake(error)) this.host.mistaken(`membership.${change}`, error)
      else if (tries > 1) workload.after(RETRY_MS, () => this.attempt(change, process, completed, tries - 1))
    }
    workload.after(0, () => {
      const identity = this.host.identityOf(process)
      const context = this.host.context(`membership ${change} ${process}`)
      try {
        Promise.resolve(this.definition[change](identity, context)).then(completed, failed)
      } catch (error) {
        failed(error)
      }
    })
  }
}
