import { outpointText } from '../../domain/chain/outpoint.ts'
import type { RawTransaction } from '../../domain/chain/raw-block.ts'
import { addressOfScript } from '../../domain/script/address.ts'
import type {
  PairingCarrier,
  PairingEvent,
  PairingEventKind,
  PairingObject,
  PairingTransaction,
} from '../../schemas/api/pairing.ts'
import type { BlockHash, Network, OutpointText } from '../../schemas/scalars.ts'
import { type Effect, movesOf } from './effect.ts'
import { judgeMarkers } from './judge-markers.ts'
import type { Marker } from './marker.ts'
import { objectKeyOf, pairIdOf } from './pairing-keys.ts'

/** What the index holds before a transaction; null if there is nothing. */
export interface PairingState {
  object(objectKey: string): PairingObject | null
  /** By `txid:vout`. */
  carrier(outpoint: OutpointText): PairingCarrier | null
}

/** A transaction of the protocol: it has a marker, or spends a carrier. */
export interface PairingCandidate {
  tx: RawTransaction
  height: number
  blockHash: BlockHash
  markers: readonly Marker[]
  /** The carriers it spends, by input index. */
  spent: ReadonlyMap<number, PairingCarrier>
}

/** The effects of a transaction: the objects and carriers it changed are as they are after it. */
export interface FoldedTransaction {
  transaction: PairingTransaction
  events: PairingEvent[]
  objects: ReadonlyMap<string, PairingObject>
  /** By `txid:vout`. */
  carriers: ReadonlyMap<OutpointText, PairingCarrier>
}

/** Applies the rules to one transaction. Pure: `state` is read only. */
export function foldTransaction(
  candidate: PairingCandidate,
  state: PairingState,
  network: Network,
): FoldedTransaction {
  const { tx, height, blockHash, markers, spent } = candidate
  const objectOf = (input: number) => {
    const carrier = spent.get(input)
    return carrier ? state.object(carrier.objectKey) : null
  }
  const { opcode, reason, effect } = judgeMarkers(markers, {
    inputs: tx.inputs,
    outputs: tx.outputs,
    script: (output) => tx.script(output),
    objectOf,
  })
  const change = new TransactionChange(candidate, state, network)
  change.spend(effect)
  if (effect?.kind === 'create') change.create(effect)
  if (effect?.kind === 'pair') change.pair(effect.moves.map(({ input }) => input))
  const transaction = {
    txid: tx.txid,
    height,
    blockHash,
    transactionIndex: tx.index,
    opcode,
    valid: effect !== null,
    reason,
  }
  const { events, objects, carriers } = change
  return { transaction, events, objects, carriers }
}

type Concerns = Partial<Pick<PairingEvent, 'from' | 'to' | 'pairId'>>

/** Collects the events of one transaction and the records they change. */
class TransactionChange {
  readonly events: PairingEvent[] = []
  readonly objects = new Map<string, PairingObject>()
  readonly carriers = new Map<OutpointText, PairingCarrier>()
  readonly #of: PairingCandidate
  readonly #state: PairingState
  readonly #network: Network

  constructor(of: PairingCandidate, state: PairingState, network: Network) {
    this.#of = of
    this.#state = state
    this.#network = network
  }

  /** Each spent carrier by input index: its object moves where the effect says, or is released. */
  spend(effect: Effect | null): void {
    const { tx, height, spent } = this.#of
    const moves = effect === null ? [] : movesOf(effect)
    const targets = new Map(moves.map(({ input, vout }) => [input, vout]))
    for (const [input, carrier] of spent) {
      const { objectKey } = carrier
      const from = outpointText(carrier)
      this.carriers.set(from, { ...carrier, spentByTxid: tx.txid, spentHeight: height })
      const vout = targets.get(input)
      if (vout === undefined || effect?.kind === 'unpair') this.#dissolvePairOf(objectKey)
      if (vout === undefined) this.#release(objectKey, from)
      else this.#move(objectKey, from, vout)
    }
  }

  create({ vout, contentHash, label }: Effect & { kind: 'create' }): void {
    const { tx, height } = this.#of
    const objectKey = objectKeyOf(tx.txid, vout, contentHash)
    const { outpoint, address } = this.#carry(objectKey, vout)
    this.objects.set(objectKey, {
      objectKey,
      contentHash: Buffer.from(contentHash).toString('hex'),
      label,
      status: 'active',
      carrier: outpoint,
      address,
      pairId: null,
      pairedWith: null,
      createdTxid: tx.txid,
      createdHeight: height,
      eventCount: 0,
    })
    this.#emit('object_created', objectKey, { to: outpoint })
  }

  /** Makes a pair of the objects of two inputs, A and B. */
  pair(inputs: readonly number[]): void {
    const [keyA, keyB] = inputs.map((input) => this.#of.spent.get(input)?.objectKey)
    if (keyA === undefined || keyB === undefined) throw new Error('a pair is of two carriers')
    const pairId = pairIdOf(keyA, keyB, this.#of.tx.txid)
    this.#change(keyA, { pairId, pairedWith: keyB })
    this.#change(keyB, { pairId, pairedWith: keyA })
    this.#emit('objects_paired', keyA, { pairId })
    this.#emit('objects_paired', keyB, { pairId })
  }

  #move(objectKey: string, from: OutpointText, vout: number): void {
    const { outpoint, address } = this.#carry(objectKey, vout)
    this.#change(objectKey, { carrier: outpoint, address })
    const { pairId } = this.#object(objectKey)
    this.#emit('carrier_moved', objectKey, { from, to: outpoint, pairId })
  }

  #release(objectKey: string, from: OutpointText): void {
    this.#change(objectKey, { status: 'released', carrier: null, address: null })
    this.#emit('object_released', objectKey, { from })
  }

  /** Does nothing if there is no pair, or if a lower input has already dissolved it. */
  #dissolvePairOf(objectKey: string): void {
    const { pairId, pairedWith } = this.#object(objectKey)
    if (pairId === null || pairedWith === null) return
    for (const key of [objectKey, pairedWith]) {
      this.#change(key, { pairId: null, pairedWith: null })
      this.#emit('pair_dissolved', key, { pairId })
    }
  }

  #carry(objectKey: string, vout: number): { outpoint: OutpointText; address: string } {
    const { tx, height } = this.#of
    const scriptHex = Buffer.from(tx.script(vout)).toString('hex')
    const address = addressOfScript(scriptHex, this.#network)
    if (address === null) throw new Error('a P2WSH script has an address')
    const outpoint = outpointText({ txid: tx.txid, vout })
    this.carriers.set(outpoint, {
      txid: tx.txid,
      vout,
      objectKey,
      address,
      scriptHex,
      valueSats: tx.valueSats(vout).toString(),
      createdHeight: height,
      spentByTxid: null,
      spentHeight: null,
    })
    return { outpoint, address }
  }

  #object(objectKey: string): PairingObject {
    const object = this.objects.get(objectKey) ?? this.#state.object(objectKey)
    if (!object) throw new Error(`there is no object ${objectKey}`)
    return object
  }

  #change(objectKey: string, change: Partial<PairingObject>): void {
    this.objects.set(objectKey, { ...this.#object(objectKey), ...change })
  }

  #emit(kind: PairingEventKind, objectKey: string, concerns: Concerns): void {
    const { tx, height, blockHash } = this.#of
    this.#change(objectKey, { eventCount: this.#object(objectKey).eventCount + 1 })
    this.events.push({
      txid: tx.txid,
      eventIndex: this.events.length,
      height,
      blockHash,
      kind,
      objectKey,
      from: null,
      to: null,
      pairId: null,
      ...concerns,
    })
  }
}
