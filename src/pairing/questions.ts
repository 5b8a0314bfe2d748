import type { PairingView, SearchPlace } from '../ports/folds/pairing-views.ts'
import { AbsentRecordError } from '../ports/folds/question-errors.ts'
import type {
  CheckpointTuple,
  PairingCarrier,
  PairingEvent,
  PairingObject,
  SearchResult,
} from '../schemas/api/pairing.ts'
import type { Network, Txid } from '../schemas/scalars.ts'
import { carrierAddressOf } from './fold/carrier-address.ts'
import { eventPlace, placeText } from './fold/index-rows.ts'
import {
  cursorOf,
  integerOf,
  limitOf,
  parsedLimit,
  parsedObjectKey,
  searchQueryOf,
  txidOf,
  voutOf,
} from './fold/parameters.ts'
import { Listed, pageOf } from './listed.ts'

/** Path and query parameters by name, as the router decoded them. */
export type Parameters = Readonly<Record<string, unknown>>

/** A question to the index at one moment; throws `AbsentRecordError` if there is no such record. */
export type PairingQuestion<T = unknown> = (view: PairingView) => T

/** Makes a question from parameters; throws `InvalidQuestionError`. */
export type Ask<T = unknown> = (parameters: Parameters, network: Network) => PairingQuestion<T>

/** The form of the cursors of the lists: the place of the last entry of a page. */
const PLACE = /^[0-9a-f]{24}$/
const EVENT_PLACE = /^[0-9a-f]{32}$/
const HEIGHT_PLACE = /^(?:0|[1-9][0-9]{0,8})$/
const OBJECT_MARK = 'o.'
const OTHER_MARK = 'r.'
const SEARCH_PLACE = /^[or]\.[0-9a-z:]{1,128}$/

/** Used if `limit` is absent (pairing spec 8). */
export const DEFAULT_LIMIT = 50
export const DEFAULT_SEARCH_LIMIT = 25

// In each, integers are parsed before anything is checked, and checks run in the order written
// (rule 12).

export const askObject = (({ objectKey }) => {
  const key = parsedObjectKey(objectKey)
  return (view) => view.object(key) ?? AbsentRecordError.throwFor('object')
}) satisfies Ask

export const askCarrier = (({ txid, vout }) => {
  const parsed = integerOf(vout)
  const id = txidOf(txid)
  const index = voutOf(parsed)
  return (view) => view.carrier(id, index) ?? AbsentRecordError.throwFor('carrier')
}) satisfies Ask

export const askTransaction = (({ txid }) => {
  const id = txidOf(txid)
  return (view) => view.transaction(id) ?? AbsentRecordError.throwFor('transaction')
}) satisfies Ask

/** Rule 8: the transaction is looked up only if it has no events. */
export const askEvents = (({ txid }) => {
  const id = txidOf(txid)
  return (view) => {
    const events = view.events(id)
    if (events.length === 0 && !view.transaction(id))
      return AbsentRecordError.throwFor('transaction')
    return { txid: id, events }
  }
}) satisfies Ask

export const askAddress = (({ address, limit, cursor }, network) => {
  const parsed = parsedLimit(limit, DEFAULT_LIMIT)
  const valid = carrierAddressOf(address, network)
  const most = limitOf(parsed)
  const after = cursorOf(cursor, PLACE)
  return (view) => {
    const read = view.carriersOf(valid, most + 1, after)
    const { entries, next } = pageOf(read, most, placeOfCarrier(view))
    return new Listed({ address: valid, carriers: entries }, next)
  }
}) satisfies Ask

export const askSearch = (({ q, limit, cursor }) => {
  const parsed = parsedLimit(limit, DEFAULT_SEARCH_LIMIT)
  const query = searchQueryOf(q)
  const most = limitOf(parsed)
  const after = cursorOf(cursor, SEARCH_PLACE)
  return (view) => {
    const read = view.search(query, most + 1, after === undefined ? undefined : foundAt(after))
    const { entries, next } = pageOf(read, most, placeOfFound)
    return new Listed({ query, results: entries }, next)
  }
}) satisfies Ask

export const askEventsOfObject = (({ objectKey, limit, cursor }) => {
  const parsed = parsedLimit(limit, DEFAULT_LIMIT)
  const key = parsedObjectKey(objectKey)
  const most = limitOf(parsed)
  const after = cursorOf(cursor, EVENT_PLACE)
  return (view) => {
    if (!view.object(key)) return AbsentRecordError.throwFor('object')
    const read = view.eventsOf(key, most + 1, after)
    const { entries, next } = pageOf(read, most, placeOfEvent(view))
    return new Listed({ objectKey: key, events: entries }, next)
  }
}) satisfies Ask

/** Rule 7: any integer reaches the look-up. */
export const askCheckpoint = (({ height }) => {
  const parsed = integerOf(height)
  return (view) =>
    (Number.isSafeInteger(parsed) ? view.checkpoint(parsed) : null) ??
    AbsentRecordError.throwFor('checkpoint')
}) satisfies Ask

export const askObjects = list(
  PLACE,
  (view, limit, after) => view.objects(limit, after),
  placeOfObject,
)
export const askCarriers = list(
  PLACE,
  (view, limit, after) => view.carriers(limit, after),
  placeOfCarrier,
)
export const askCheckpoints = list(
  HEIGHT_PLACE,
  (view, limit, after) => view.checkpoints(limit, after === undefined ? undefined : Number(after)),
  () =>
    ({ height }: CheckpointTuple) =>
      height,
)

function list<T>(
  form: RegExp,
  read: (view: PairingView, limit: number, after: string | undefined) => T[],
  placeOf: (view: PairingView) => (last: T) => string,
) {
  return (({ limit, cursor }) => {
    const most = limitOf(parsedLimit(limit, DEFAULT_LIMIT))
    const after = cursorOf(cursor, form)
    return (view) => {
      const { entries, next } = pageOf(read(view, most + 1, after), most, placeOf(view))
      return new Listed({ items: entries }, next)
    }
  }) satisfies Ask<Listed<{ items: T[] }>>
}

function placeOfObject(view: PairingView) {
  return ({ createdHeight, createdTxid }: PairingObject): string =>
    placeText(createdHeight, indexOf(view, createdTxid), 0)
}

function placeOfCarrier(view: PairingView) {
  return ({ createdHeight, txid, vout }: PairingCarrier): string =>
    placeText(createdHeight, indexOf(view, txid), vout)
}

function placeOfEvent(view: PairingView) {
  return ({ height, txid, eventIndex }: PairingEvent): string =>
    eventPlace(height, indexOf(view, txid), eventIndex)
}

const indexOf = (view: PairingView, txid: Txid): number =>
  view.transaction(txid)?.transactionIndex ?? 0

/** Objects come before the rest. */
const placeOfFound = ({ kind, key }: SearchResult): string =>
  `${kind === 'object' ? OBJECT_MARK : OTHER_MARK}${key}`

const foundAt = (place: string): SearchPlace => ({
  isObject: place.startsWith(OBJECT_MARK),
  key: place.slice(OBJECT_MARK.length),
})
