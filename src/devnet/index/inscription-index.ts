import { outpointText } from '../../domain/chain/outpoint.ts'
import type { OutpointText } from '../../schemas/scalars.ts'
import type { ChainBlock } from '../node/chain.ts'
import { outputSum } from '../node/consensus.ts'
import { JUBILEE_HEIGHT, ORD_HALVING_INTERVAL, subsidyAt } from '../node/regtest.ts'
import type { Tx } from '../node/tx.ts'
import { type Envelope, envelopesOf } from './envelope.ts'

/** Where a sat is: its output and its place within. */
export interface Satpoint {
  outpoint: OutpointText
  offset: bigint
}

export interface IndexedInscription {
  id: string
  /** Blessed ones count from 0 up, cursed ones from -1 down. */
  number: number
  /** Cursed before the jubilee, or would have been: a reinscription over it is then not a curse. */
  curse: boolean
  /** Null: unbound or lost. */
  satpoint: Satpoint | null
}

/** The contents of an unspent output. */
interface Holding {
  valueSats: bigint
  /** In order of arrival: by sequence number, which is their position in `#inscriptions`. */
  inscriptions: readonly { sequence: number; offset: bigint }[]
}

/** An inscription on its way through a transaction, by its offset within the inputs. */
interface Floating {
  offset: bigint
  origin: Origin
}

type Origin =
  | { kind: 'old'; sequence: number }
  | { kind: 'new'; id: string; cursed: boolean; curse: boolean; unbound: boolean }

/** What a block changed, to undo it. */
interface Undo {
  created: string[]
  spent: [string, Holding][]
  moved: { sequence: number; satpoint: Satpoint | null }[]
  counters: InscriptionCounters
  inscriptions: number
}

interface InscriptionCounters {
  blessed: number
  cursed: number
}

/**
 * Follows inscriptions through a chain, block by block, by ord's rules (`InscriptionUpdater`): sats
 * flow first in, first out; fees flow to the coinbase, behind what ord takes for the subsidy; what
 * lies beyond the coinbase's outputs is lost (on regtest: every fee from block 150 on). It keeps
 * its own outputs, so it may lag behind the node.
 */
export class InscriptionIndex {
  readonly #holdings = new Map<string, Holding>()
  readonly #inscriptions: IndexedInscription[] = []
  readonly #sequences = new Map<string, number>()
  readonly #path: { block: ChainBlock; undo: Undo }[] = []
  #counters: InscriptionCounters = { blessed: 0, cursed: 0 }

  /** The last block that was indexed; null before the first. */
  get tip(): ChainBlock | null {
    return this.#path.at(-1)?.block ?? null
  }

  inscription(id: string): IndexedInscription | undefined {
    return this.#inscriptions[this.#sequences.get(id) ?? -1]
  }

  /** Null for an output already spent here, or not yet here. */
  inscriptionsIn(outpoint: OutpointText): readonly IndexedInscription[] | null {
    const holding = this.#holdings.get(outpoint)
    if (!holding) return null
    return holding.inscriptions.flatMap(({ sequence }) => this.#inscriptions[sequence] ?? [])
  }

  /** The block's parent must be `tip`. */
  connect(block: ChainBlock): void {
    const undo: Undo = {
      created: [],
      spent: [],
      moved: [],
      counters: { ...this.#counters },
      inscriptions: this.#inscriptions.length,
    }
    this.#path.push({ block, undo })
    const [coinbase, ...txs] = block.txs
    if (!coinbase || !block.parent) return
    const fees: Floating[] = []
    let reward = subsidyAt(block.height, ORD_HALVING_INTERVAL)
    for (const tx of txs) {
      const { floating, inputSats } = this.#spend(tx, block.height, undo)
      const outputSats = outputSum(tx.raw)
      for (const { offset, origin } of this.#place(tx, floating, undo))
        fees.push({ offset: reward + offset - outputSats, origin })
      reward += inputSats - outputSats
    }
    for (const { origin } of this.#place(coinbase, fees, undo)) this.#settle(origin, null, undo)
  }

  /** Disconnects the last block. */
  disconnect(): void {
    const last = this.#path.pop()
    if (!last) return
    const { created, spent, moved, counters, inscriptions } = last.undo
    for (const [outpoint, holding] of spent) this.#holdings.set(outpoint, holding)
    // After the spent ones: an output that the block both made and spent did not exist before.
    for (const outpoint of created) this.#holdings.delete(outpoint)
    for (const { sequence, satpoint } of moved.reverse()) {
      const inscription = this.#inscriptions[sequence]
      if (inscription) inscription.satpoint = satpoint
    }
    for (const { id } of this.#inscriptions.splice(inscriptions)) this.#sequences.delete(id)
    this.#counters = counters
  }

  /** Collects what the inputs hold and what they reveal. */
  #spend(tx: Tx, height: number, undo: Undo): { floating: Floating[]; inputSats: bigint } {
    const floating: Floating[] = []
    const outputSats = outputSum(tx.raw)
    const envelopes = envelopesOf(tx.raw)
    let inputSats = 0n
    let revealed = 0
    for (const [input, outpoint] of tx.prevouts.entries()) {
      const holding = this.#take(outpoint, undo)
      for (const { sequence, offset } of holding.inscriptions)
        floating.push({ offset: inputSats + offset, origin: { kind: 'old', sequence } })
      for (const envelope of envelopes) {
        if (envelope.input !== input) continue
        const curse = this.#isCurse(envelope, inputSats, floating)
        const { pointer } = envelope
        floating.push({
          offset: pointer !== null && pointer < outputSats ? pointer : inputSats,
          origin: {
            kind: 'new',
            id: `${tx.txid}i${revealed++}`,
            curse,
            cursed: curse && height < JUBILEE_HEIGHT,
            unbound: holding.valueSats === 0n || envelope.unrecognizedEvenField,
          },
        })
      }
      inputSats += holding.valueSats
    }
    return { floating, inputSats }
  }

  #take(outpoint: OutpointText, undo: Undo): Holding {
    const holding = this.#holdings.get(outpoint)
    if (!holding) throw new Error(`the index does not know the output ${outpoint} that is spent`)
    this.#holdings.delete(outpoint)
    undo.spent.push([outpoint, holding])
    return holding
  }

  #isCurse(envelope: Envelope, inputSats: bigint, floating: readonly Floating[]): boolean {
    if (envelope.malformed || envelope.input !== 0 || envelope.offset !== 0) return true
    const [first, ...more] = floating.filter(({ offset }) => offset === inputSats)
    if (!first || first.origin.kind === 'new') return false
    // Inscribing a sat again is a curse, unless the first inscription on it was one already.
    return more.length > 0 || this.#inscriptions[first.origin.sequence]?.curse !== true
  }

  /** Places inscriptions in the outputs and returns those that leave as fees. */
  #place(tx: Tx, floating: Floating[], undo: Undo): Floating[] {
    floating.sort((a, b) => (a.offset < b.offset ? -1 : Number(a.offset > b.offset)))
    let next = 0
    let start = 0n
    tx.raw.outs.forEach(({ value }, vout) => {
      const outpoint = outpointText({ txid: tx.txid, vout })
      const inscriptions: { sequence: number; offset: bigint }[] = []
      for (let at = floating[next]; at && at.offset < start + value; at = floating[++next]) {
        const offset = at.offset - start
        const sequence = this.#settle(at.origin, { outpoint, offset }, undo)
        if (this.#inscriptions[sequence]?.satpoint) inscriptions.push({ sequence, offset })
      }
      inscriptions.sort((a, b) => a.sequence - b.sequence)
      this.#holdings.set(outpoint, { valueSats: value, inscriptions })
      undo.created.push(outpoint)
      start += value
    })
    return floating.slice(next)
  }

  /** Records where an inscription is now, and numbers a new one. Its sequence number. */
  #settle(origin: Origin, satpoint: Satpoint | null, undo: Undo): number {
    if (origin.kind === 'old') {
      const inscription = this.#inscriptions[origin.sequence]
      if (!inscription) throw new Error(`no inscription has the sequence number ${origin.sequence}`)
      undo.moved.push({ sequence: origin.sequence, satpoint: inscription.satpoint })
      inscription.satpoint = satpoint
      return origin.sequence
    }
    const { id, curse, cursed, unbound } = origin
    const number = cursed ? -++this.#counters.cursed : this.#counters.blessed++
    const sequence = this.#inscriptions.length
    this.#inscriptions.push({ id, number, curse, satpoint: unbound ? null : satpoint })
    this.#sequences.set(id, sequence)
    return sequence
  }
}
