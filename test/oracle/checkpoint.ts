import type {
  CheckpointTuple,
  PairingCarrier,
  PairingEvent,
  PairingObject,
} from '../../src/schemas/api/pairing.ts'
import type { BlockRef } from '../../src/schemas/scalars.ts'
import { canonicalJson, type Json, sha256 } from './canonical.ts'

/** What a block did, each record as it is after the block. */
export interface BlockChanges extends BlockRef {
  /** In block order. */
  events: readonly PairingEvent[]
  objects: readonly PairingObject[]
  carriers: readonly PairingCarrier[]
}

const ZERO = '00'.repeat(32)

/** `previous` is null for the block at the start height. */
export function checkpointOf(
  deployment: { id: string; network: string },
  previous: CheckpointTuple | null,
  { height, hash, events, objects, carriers }: BlockChanges,
): CheckpointTuple {
  const objectsInOrder = [...objects].sort((one, other) =>
    one.objectKey < other.objectKey ? -1 : 1,
  )
  const carriersInOrder = [...carriers].sort((one, other) =>
    one.txid === other.txid ? one.vout - other.vout : one.txid < other.txid ? -1 : 1,
  )
  const rest = {
    deployment: deployment.id,
    network: deployment.network,
    height: String(height),
    blockHash: hash,
    previousCheckpointHash: previous?.checkpointHash ?? ZERO,
    objectsRoot: chained(previous?.objectsRoot ?? ZERO, objectsInOrder),
    carriersRoot: chained(previous?.carriersRoot ?? ZERO, carriersInOrder),
    eventsRoot: sha256(canonicalJson(asJson(events))).toString('hex'),
  }
  return { ...rest, checkpointHash: sha256(canonicalJson(rest)).toString('hex') }
}

const chained = (previousRoot: string, records: readonly object[]): string =>
  sha256(Buffer.from(previousRoot, 'hex'), sha256(canonicalJson(asJson(records)))).toString('hex')

/** Records hold only strings, integers and null. */
const asJson = (records: readonly object[]): Json => records as unknown as Json
