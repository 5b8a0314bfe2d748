import { outpointKey } from '../../domain/chain/outpoint.ts'
import type { RawTransaction } from '../../domain/chain/raw-block.ts'
import type { PlacedBlock } from '../../ports/folds/block-fold.ts'
import type { PairingCarrier, PairingObject } from '../../schemas/api/pairing.ts'
import type { Network, OutpointText } from '../../schemas/scalars.ts'
import { type FoldedTransaction, foldTransaction, type PairingState } from './fold-transaction.ts'
import { type Marker, markerStart, readMarker } from './marker.ts'

export interface PairingRules {
  network: Network
  /** Four bytes. */
  magic: Uint8Array
  /**
   * Outpoints that may be carriers, in the form of `RawTransaction.spentKey`: all carriers, and
   * possibly others. Carriers that a fold makes are added.
   */
  candidates: Set<string>
}

/** The effects of a block; objects and carriers as they are after it. */
export interface FoldedBlock {
  /** Transactions of the protocol, in block order. */
  transactions: Pick<FoldedTransaction, 'transaction' | 'events'>[]
  objects: Map<string, PairingObject>
  /** By `txid:vout`. */
  carriers: Map<OutpointText, PairingCarrier>
}

/** Folds a block. Reads only transactions that may have a marker or spend a candidate. */
export function foldMarkers(
  { block, height, hash }: PlacedBlock,
  before: PairingState,
  rules: PairingRules,
): FoldedBlock {
  const folded: FoldedBlock = { transactions: [], objects: new Map(), carriers: new Map() }
  const state: PairingState = {
    object: (objectKey) => folded.objects.get(objectKey) ?? before.object(objectKey),
    carrier: (outpoint) => folded.carriers.get(outpoint) ?? before.carrier(outpoint),
  }
  for (const tx of block.transactionsWith(markerStart(rules.magic), rules.candidates)) {
    if (tx.index === COINBASE) continue
    const markers = markersOf(tx, rules.magic)
    const spent = spentCarriers(tx, state, rules.candidates)
    if (markers.length === 0 && spent.size === 0) continue
    const candidate = { tx, height, blockHash: hash, markers, spent }
    const { transaction, events, objects, carriers } = foldTransaction(
      candidate,
      state,
      rules.network,
    )
    folded.transactions.push({ transaction, events })
    for (const [key, object] of objects) folded.objects.set(key, object)
    for (const [outpoint, carrier] of carriers) {
      folded.carriers.set(outpoint, carrier)
      rules.candidates.add(outpointKey(carrier))
    }
  }
  return folded
}

const COINBASE = 0

function markersOf(tx: RawTransaction, magic: Uint8Array): Marker[] {
  const markers: Marker[] = []
  for (let output = 0; output < tx.outputs; output += 1) {
    const marker = readMarker(tx.script(output), magic)
    if (marker) markers.push(marker)
  }
  return markers
}

function spentCarriers(
  tx: RawTransaction,
  state: PairingState,
  candidates: ReadonlySet<string>,
): Map<number, PairingCarrier> {
  const spent = new Map<number, PairingCarrier>()
  if (candidates.size === 0) return spent
  for (let input = 0; input < tx.inputs; input += 1) {
    if (!candidates.has(tx.spentKey(input))) continue
    const carrier = state.carrier(tx.spent(input))
    if (carrier?.spentByTxid === null) spent.set(input, carrier)
  }
  return spent
}
