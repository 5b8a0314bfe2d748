import { absent } from '../ports/folds/message-refusal.ts'
import type { PairingView } from '../ports/folds/pairing-views.ts'
import type { Network } from '../schemas/scalars.ts'
import { carrierAddressOf } from './fold/carrier-address.ts'
import {
  integerOf,
  limitOf,
  parsedLimit,
  parsedObjectKey,
  searchQueryOf,
  txidOf,
  voutOf,
} from './parameters.ts'

/** Path and query parameters by name, as the router decoded them. */
export type Parameters = Readonly<Record<string, unknown>>

/** A question to one moment of the index; throws the 404 if there is no such record. */
export type PairingQuestion<T = unknown> = (view: PairingView) => T

/** Makes a question from parameters; throws their 400. */
export type Ask<T = unknown> = (parameters: Parameters, network: Network) => PairingQuestion<T>

/** Used if `limit` is absent (pairing spec 8). */
export const DEFAULT_LIMIT = 50
export const DEFAULT_SEARCH_LIMIT = 25

// In each, integers are parsed before anything is checked, and checks run in the order written
// (rule 12).

export const askObject = (({ objectKey }) => {
  const key = parsedObjectKey(objectKey)
  return (view) => view.object(key) ?? absent('object')
}) satisfies Ask

export const askCarrier = (({ txid, vout }) => {
  const parsed = integerOf(vout)
  const id = txidOf(txid)
  const index = voutOf(parsed)
  return (view) => view.carrier(id, index) ?? absent('carrier')
}) satisfies Ask

export const askTransaction = (({ txid }) => {
  const id = txidOf(txid)
  return (view) => view.transaction(id) ?? absent('transaction')
}) satisfies Ask

/** Rule 8: the transaction is looked up only if it has no events. */
export const askEvents = (({ txid }) => {
  const id = txidOf(txid)
  return (view) => {
    const events = view.events(id)
    if (events.length === 0 && !view.transaction(id)) return absent('transaction')
    return { txid: id, events }
  }
}) satisfies Ask

export const askAddress = (({ address, limit }, network) => {
  const parsed = parsedLimit(limit, DEFAULT_LIMIT)
  const valid = carrierAddressOf(address, network)
  const most = limitOf(parsed)
  return (view) => ({ address: valid, carriers: view.carriersOf(valid, most) })
}) satisfies Ask

export const askSearch = (({ q, limit }) => {
  const parsed = parsedLimit(limit, DEFAULT_SEARCH_LIMIT)
  const query = searchQueryOf(q)
  const most = limitOf(parsed)
  return (view) => ({ query, results: view.search(query, most) })
}) satisfies Ask

/** Rule 7: any integer reaches the look-up. */
export const askCheckpoint = (({ height }) => {
  const parsed = integerOf(height)
  return (view) =>
    (Number.isSafeInteger(parsed) ? view.checkpoint(parsed) : null) ?? absent('checkpoint')
}) satisfies Ask

export const askObjects = list((view, most) => view.objects(most))
export const askCarriers = list((view, most) => view.carriers(most))
export const askCheckpoints = list((view, most) => view.checkpoints(most))

function list<T>(read: (view: PairingView, most: number) => T[]) {
  return (({ limit }) => {
    const most = limitOf(parsedLimit(limit, DEFAULT_LIMIT))
    return (view) => ({ items: read(view, most) })
  }) satisfies Ask<{ items: T[] }>
}
