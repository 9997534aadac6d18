export class KvClient {
  constructor(host: string, port?: number)
  get(key: string): Promise<number | null>
  put(key: string, value: number): Promise<void>
  delete(key: string): Promise<void>
  close(): void
}
