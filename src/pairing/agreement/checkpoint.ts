import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import type { CheckpointTuple, PairingCarrier, PairingObject } from '../../schemas/api/pairing.ts'
import type { Network } from '../../schemas/scalars.ts'
import type { FoldedBlock } from '../fold/fold-block.ts'

/** A block of a deployment. */
export interface CheckpointPlace {
  deployment: string
  network: Network
  height: number
  blockHash: string
}

/** The hash used in place of a checkpoint before the first. */
const NOTHING = '00'.repeat(32)

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
  const content = {
    ...place,
    height: height.toString(),
    previousCheckpointHash: previous?.checkpointHash ?? NOTHING,
    objectsRoot: nextRoot(previous?.objectsRoot, [...objects.values()].sort(byObjectKey)),
    carriersRoot: nextRoot(previous?.carriersRoot, [...carriers.values()].sort(byOutpoint)),
    eventsRoot: digest(transactions.flatMap(({ events }) => events)).toString('hex'),
  }
  return { ...content, checkpointHash: digest(content).toString('hex') }
}

function nextRoot(previous: string | undefined, changed: readonly unknown[]): string {
  const hash = createHash('sha256')
  hash.update(Buffer.from(previous ?? NOTHING, 'hex'))
  return hash.update(digest(changed)).digest('hex')
}

/** SHA-256 of the RFC 8785 form. */
function digest(value: unknown): Buffer {
  const text = canonicalize(value)
  if (text === undefined) throw new Error('a record has a canonical form')
  return createHash('sha256').update(text).digest()
}

const byObjectKey = (one: PairingObject, other: PairingObject): number =>
  compareText(one.objectKey, other.objectKey)

const byOutpoint = (one: PairingCarrier, other: PairingCarrier): number =>
  compareText(one.txid, other.txid) || one.vout - other.vout

const compareText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
