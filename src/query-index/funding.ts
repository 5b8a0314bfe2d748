import type { OutpointText } from '../schemas/scalars.ts'
import { HASH_WORDS, putHash } from './hashes.ts'
import { type OutputChains, type OutputColumns, SlotsByOutput } from './outputs.ts'

const FEWEST = 64

interface FundingOutputs {
  paying: OutputColumns & { slot: Uint32Array }
  chains: OutputChains
  size: number
}

/**
 * Finds the slots of the bids that an output pays for: 48 bytes an output, of which a bid has 16 at
 * most. The outputs never change: a bid's id commits to its outputs.
 */
export class SlotsByFunding {
  /** The outputs of all bids, one after another; 0 means none, as in `SlotsByOutput`. */
  readonly #paying = {
    txid: new Uint32Array(FEWEST * HASH_WORDS),
    vout: new Uint32Array(FEWEST),
    slot: new Uint32Array(FEWEST),
  } satisfies OutputColumns & { slot: Uint32Array }
  readonly #outputs = new SlotsByOutput(this.#paying)
  #size = 1

  /**
   * Adds the slot of a new order under the outputs that pay for it; only a bid has such outputs.
   */
  add(slot: number, funding: readonly OutpointText[]): void {
    for (const outpoint of funding) {
      if (this.#size === this.#paying.slot.length) this.#grow()
      const at = this.#size
      this.#size += 1
      const colon = outpoint.indexOf(':')
      putHash(this.#paying.txid, at, outpoint)
      this.#paying.vout[at] = Number(outpoint.slice(colon + 1))
      this.#paying.slot[at] = slot
      this.#outputs.add(at)
    }
  }

  /** The slots, in no order. */
  at(outpoint: OutpointText): number[] {
    return this.#outputs.at(outpoint).map((at) => this.#paying.slot[at] ?? 0)
  }

  get all(): FundingOutputs {
    return { paying: this.#paying, chains: this.#outputs.chains, size: this.#size }
  }

  take({ paying, chains, size }: FundingOutputs): void {
    Object.assign(this.#paying, paying)
    this.#outputs.take(chains)
    this.#size = size
  }

  #grow(): void {
    const { txid, vout, slot } = this.#paying
    this.#paying.txid = doubled(txid)
    this.#paying.vout = doubled(vout)
    this.#paying.slot = doubled(slot)
  }
}

function doubled(column: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(column.length * 2)
  larger.set(column)
  return larger
}
