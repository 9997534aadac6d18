export function majorityOf(replicas: number): number
export class RegisterClient {
  /** `writer` is a number that no other client has. */
  constructor(replicas: readonly string[], writer: number, quorumOf?: (replicas: number) => number)
  read(): Promise<number | null>
  write(value: number): Promise<void>
}
