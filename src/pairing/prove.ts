import type { PairingView } from '../ports/folds/pairing-views.ts'
import { AbsentRecordError } from '../ports/folds/question-errors.ts'
import type { CheckpointTuple, PairingEvent } from '../schemas/api/pairing.ts'
import { PROOF_FORMAT, type ProofBody, type ProvedKind } from '../schemas/api/pairing.ts'
import { START } from './agreement/checkpoint.ts'
import { integerOf, parsedObjectKey, txidOf, voutOf } from './fold/parameters.ts'
import type { Ask } from './questions.ts'

/** A proof covers the changes of its block: at most this many records of one kind. */
export const MAX_PROVED = 500

/** A proof without the envelope, for the block that last changed the record. */
export type Unsigned = ProofBody

export const proveObject = (({ objectKey }) => {
  const key = parsedObjectKey(objectKey)
  return (view) => {
    const object = view.object(key) ?? AbsentRecordError.throwFor('object')
    const height = view.eventsOf(key, 1)[0]?.height ?? object.createdHeight
    const records =
      view.changedIn(height, MAX_PROVED)?.objects ?? AbsentRecordError.throwFor('proof')
    return proofOf(view, height, {
      kind: 'object',
      records,
      position: records.findIndex(({ objectKey }) => objectKey === key),
    })
  }
}) satisfies Ask<Unsigned>

export const proveCarrier = (({ txid, vout }) => {
  const parsed = integerOf(vout)
  const id = txidOf(txid)
  const index = voutOf(parsed)
  return (view) => {
    const carrier = view.carrier(id, index) ?? AbsentRecordError.throwFor('carrier')
    const height = carrier.spentHeight ?? carrier.createdHeight
    const records =
      view.changedIn(height, MAX_PROVED)?.carriers ?? AbsentRecordError.throwFor('proof')
    return proofOf(view, height, {
      kind: 'carrier',
      records,
      position: records.findIndex((one) => one.txid === id && one.vout === index),
    })
  }
}) satisfies Ask<Unsigned>

export const proveEvent = (({ txid, eventIndex }) => {
  const parsed = integerOf(eventIndex)
  const id = txidOf(txid)
  return (view) => {
    const event = view.events(id).find(({ eventIndex }) => eventIndex === parsed)
    if (!event) return AbsentRecordError.throwFor('event')
    const { height } = event
    const records = eventsIn(view, height)
    if (records.length > MAX_PROVED) return AbsentRecordError.throwFor('proof')
    return proofOf(view, height, {
      kind: 'event',
      records,
      position: records.findIndex((one) => one.txid === id && one.eventIndex === parsed),
    })
  }
}) satisfies Ask<Unsigned>

const eventsIn = (view: PairingView, height: number): PairingEvent[] =>
  view.block(height)?.transactions.flatMap(({ events }) => events) ?? []

/** The root of the block below to which a kind's root is chained; events have none. */
const PREVIOUS = {
  object: (below) => below.objectsRoot,
  carrier: (below) => below.carriersRoot,
  event: () => null,
} as const satisfies Record<
  ProvedKind,
  (below: Pick<CheckpointTuple, 'objectsRoot' | 'carriersRoot'>) => string | null
>

function proofOf(
  view: PairingView,
  height: number,
  { kind, records, position }: Pick<ProofBody, 'kind' | 'records' | 'position'>,
): ProofBody {
  const checkpoint = view.checkpoint(height) ?? AbsentRecordError.throwFor('proof')
  const record = records[position] ?? AbsentRecordError.throwFor('proof')
  const previousRoot = PREVIOUS[kind](view.checkpoint(height - 1) ?? START)
  return { format: PROOF_FORMAT, kind, record, position, records, previousRoot, checkpoint }
}
