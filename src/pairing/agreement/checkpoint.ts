import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import type {
  CheckpointTuple,
  PairingCarrier,
  PairingEvent,
  PairingObject,
} from '../../schemas/api/pairing.ts'
import type { BlockHash, Network } from '../../schemas/scalars.ts'
import type { FoldedBlock } from '../fold/fold-block.ts'

/** A block of a deployment. */
export interface CheckpointPlace {
  deployment: string
  network: Network
  height: number
  blockHash: BlockHash
}

const NOTHING = '00'.repeat(32)
/** The values below the first checkpoint. */
export const START = { checkpointHash: NOTHING, objectsRoot: NOTHING, carriersRoot: NOTHING }

/**
 * The checkpoint of a block (docs/design/pairing.md#checkpoints): a hash of its events, and two
 * hash chains over what it changed. `previous` is the checkpoint of the block below; null at the
 * start height.
 */
export function sealCheckpoint(
  { height, ...place }: CheckpointPlace,
  { transactions, objects, carriers }: FoldedBlock,
  previous: CheckpointTuple | null,
): CheckpointTuple {
  const below = previous ?? START
  const content = {
    ...place,
    height: height.toString(),
    previousCheckpointHash: below.checkpointHash,
    objectsRoot: nextRoot(below.objectsRoot, [...objects.values()].sort(byObjectKey)),
    carriersRoot: nextRoot(below.carriersRoot, [...carriers.values()].sort(byOutpoint)),
    eventsRoot: eventsRootOf(transactions.flatMap(({ events }) => events)),
  }
  return { ...content, checkpointHash: checkpointHashOf(content) }
}

/** The hash over the other eight fields. */
export const checkpointHashOf = (content: Omit<CheckpointTuple, 'checkpointHash'>): string =>
  digest(content).toString('hex')

/** The root of objects or carriers after a block that changed these records, in their order. */
export function nextRoot(previous: string, changed: readonly unknown[]): string {
  const hash = createHash('sha256')
  hash.update(Buffer.from(previous, 'hex'))
  return hash.update(digest(changed)).digest('hex')
}

/** The root over a block's events, in their order. */
export const eventsRootOf = (events: readonly PairingEvent[]): string =>
  digest(events).toString('hex')

/** SHA-256 of the RFC 8785 form. */
function digest(value: unknown): Buffer {
  const text = canonicalize(value)
  if (text === undefined) throw new Error('the record has no canonical form')
  return createHash('sha256').update(text).digest()
}

export const byObjectKey = (one: PairingObject, other: PairingObject): number =>
  compareText(one.objectKey, other.objectKey)

export const byOutpoint = (one: PairingCarrier, other: PairingCarrier): number =>
  compareText(one.txid, other.txid) || one.vout - other.vout

const compareText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
