/** A stand-in for a store, as tests have them: its awaits wait for nothing. */
export class InMemoryBank {
  private savings = 100
  private checking = 0

  async transfer(amount: number): Promise<void> {
    this.savings -= amount
    await this.audit()
    this.checking += amount
  }

  async total(): Promise<number> {
    await this.audit()
    await this.audit()
    return this.savings + this.checking
  }

  private async audit(): Promise<void> {}
}
