import { INVALID_REASONS, PairingEventKind } from '../../../src/schemas/api/pairing.ts'
import type { Records } from '../../oracle/pairing.ts'
import type { ChainMove } from './pairing-chain.ts'
import { NEAR_MARKER_NAMES, PUSH_FORMS } from './pairing-scripts.ts'

/** Everything that a run of generated chains must cover, as named in the tally. */
export const MUST_MEET: readonly string[] = [
  ...PairingEventKind.options.map((kind) => `event ${kind}`),
  ...INVALID_REASONS.map((reason) => `reason ${reason}`),
  ...[1, 2, 3, 4].map((opcode) => `opcode ${opcode} valid`),
  ...PUSH_FORMS.map((form) => `push ${form}`),
  ...NEAR_MARKER_NAMES.map((near) => `no marker: ${near}`),
  'reorg of 1',
  'reorg of 2',
  'reorg of 3 or more',
  'reorg of the whole chain',
  'reorg to before the start height',
  'transaction mined again after a reorg',
  'no marker at all',
  'block without events',
  'several faults in one marker',
  'witness',
  'no witness',
  'carrier spent in its own block',
  'three carriers of one object in a block',
  'created while releasing',
  'released alone',
  'released, its mate stays',
  'both halves released',
  'half moved, its mate stays',
  'both halves moved',
  'half moved before its mate is released',
  'half moved after its mate was released',
  'unpaired, its mate stays',
  'unpaired before its mate is released',
  'unpaired after its mate was released',
  'moved unpaired',
  'moved three or more',
]

/** Counts what generated chains consisted of, from the records that the oracle made of them. */
export class Tally {
  readonly #counts = new Map<string, number>()
  readonly #seen = new Map<string, string>()

  count(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1)
  }

  missing(): string[] {
    return MUST_MEET.filter((what) => !this.#counts.has(what))
  }

  /** A line each, sorted by name. */
  text(): string {
    const lines = [...this.#counts].map(([what, count]) => `${String(count).padStart(8)}  ${what}`)
    return lines.sort((one, other) => (one.slice(10) < other.slice(10) ? -1 : 1)).join('\n')
  }

  /** A new chain: its transactions are not those of another one. */
  begin(): void {
    this.#seen.clear()
    this.count('chains')
  }

  add(move: ChainMove, before: Records, after: Records, startHeight: number): void {
    const { connected, chain, reorgDepth } = move
    if (reorgDepth !== null) {
      const all = chain.length + 1
      this.count(reorgDepth < 3 ? `reorg of ${reorgDepth}` : 'reorg of 3 or more')
      if (reorgDepth === all) this.count('reorg of the whole chain')
      const lowest = (chain[0]?.height ?? startHeight) + all - reorgDepth
      if (lowest < startHeight) this.count('reorg to before the start height')
    }
    for (const { height, hash, plans } of connected) {
      this.count('blocks')
      if (height < startHeight) continue
      for (const plan of plans) {
        this.count(plan.hasWitness ? 'witness' : 'no witness')
        if (plan.action !== 'replay' && plan.faults.length > 1)
          this.count('several faults in one marker')
        if (plan.action !== 'replay') {
          for (const near of plan.near) this.count(`no marker: ${near}`)
          if (!plan.instead || plan.near.length === 0) this.count(`push ${plan.form}`)
        }
      }
      const made = [...after.transactions.values()].filter((one) => one.blockHash === hash)
      if (made.every(({ txid }) => !after.events.has(txid))) this.count('block without events')
      for (const { txid, opcode, valid, reason } of made) {
        this.count('transactions recorded')
        const where = this.#seen.get(txid)
        if (where !== undefined && where !== hash)
          this.count('transaction mined again after a reorg')
        this.#seen.set(txid, hash)
        if (valid) this.count(`opcode ${opcode} valid`)
        else this.count(reason === null ? 'no marker at all' : `reason ${reason}`)
        this.#events(txid, opcode, valid, after)
      }
      this.#carriers(height, after)
    }
    if (connected.length === 0) this.count('blocks taken back')
    if (before.tip?.hash === after.tip?.hash) this.count('moves below the start height')
  }

  #events(txid: string, opcode: number | null, valid: boolean, { events }: Records): void {
    const told = events.get(txid) ?? []
    for (const { kind } of told) this.count(`event ${kind}`)
    const moved = told.filter(({ kind }) => kind === 'carrier_moved')
    const released = told.filter(({ kind }) => kind === 'object_released')
    const dissolved = told.filter(({ kind }) => kind === 'pair_dissolved')
    if (valid && opcode === 1 && released.length > 0) this.count('created while releasing')
    if (valid && opcode === 2 && moved.length >= 3) this.count('moved three or more')
    for (const { objectKey, pairId, eventIndex } of moved) {
      const mates = dissolved.filter((one) => one.objectKey !== objectKey)
      const own = dissolved.find((one) => one.objectKey === objectKey)
      const mate = mates.find((one) => one.pairId === own?.pairId)?.objectKey
      const release = released.find((one) => one.objectKey === mate)
      if (opcode === 4) {
        if (!release) this.count('unpaired, its mate stays')
        else
          this.count(
            release.eventIndex < eventIndex
              ? 'unpaired after its mate was released'
              : 'unpaired before its mate is released',
          )
      } else if (opcode === 2) {
        if (release)
          this.count(
            release.eventIndex < eventIndex
              ? 'half moved after its mate was released'
              : 'half moved before its mate is released',
          )
        else if (pairId === null) this.count('moved unpaired')
        else if (moved.filter((one) => one.pairId === pairId).length === 2)
          this.count('both halves moved')
        else this.count('half moved, its mate stays')
      }
    }
    for (const { objectKey } of released) {
      const own = dissolved.find((one) => one.objectKey === objectKey)
      const mate = dissolved.find(
        (one) => one.pairId === own?.pairId && one.objectKey !== objectKey,
      )?.objectKey
      if (!own) this.count('released alone')
      else if (released.some((one) => one.objectKey === mate)) this.count('both halves released')
      else if (moved.every((one) => one.objectKey !== mate)) this.count('released, its mate stays')
    }
  }

  #carriers(height: number, { carriers }: Records): void {
    const made = [...carriers.values()].filter(({ createdHeight }) => createdHeight === height)
    const spent = made.filter(({ spentHeight }) => spentHeight === height)
    if (spent.length > 0) this.count('carrier spent in its own block')
    for (const { objectKey } of spent)
      if (made.filter((one) => one.objectKey === objectKey).length >= 3)
        this.count('three carriers of one object in a block')
  }
}
