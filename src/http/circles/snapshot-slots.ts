/** Snapshots that a client, and each network around it, may be sent at once, and all clients together. */
const MAX_BY_LEVEL = [2, 8, 32]
const MAX_IN_ALL = 64

/** Counts the snapshots that are being sent, by client and by network. */
export class SnapshotSlots {
  readonly #held = new Map<string, number>()
  #inAll = 0

  /**
   * The function that gives the slot back; null: no slot is free. `networks`: the client, then the
   * networks around it, each wider than the last.
   */
  take(networks: readonly string[]): (() => void) | null {
    const isFull = MAX_BY_LEVEL.some((most, level) => this.#of(networks[level]) >= most)
    if (isFull || this.#inAll >= MAX_IN_ALL) return null
    this.#add(networks, 1)
    return () => this.#add(networks, -1)
  }

  #of(network: string | undefined): number {
    return network === undefined ? 0 : (this.#held.get(network) ?? 0)
  }

  #add(networks: readonly string[], by: 1 | -1): void {
    this.#inAll += by
    for (const network of networks) {
      const held = this.#of(network) + by
      if (held === 0) this.#held.delete(network)
      else this.#held.set(network, held)
    }
  }
}
