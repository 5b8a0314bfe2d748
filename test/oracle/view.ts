import type { PairingView } from '../../src/ports/folds/pairing-views.ts'
import type { PairingCarrier, SearchResult } from '../../src/schemas/api/pairing.ts'
import type { Txid } from '../../src/schemas/scalars.ts'
import type { Records } from './pairing.ts'

/** The reads of the index over the oracle's records: each one scans all of them. */
export function viewOf({
  tip,
  objects,
  carriers,
  transactions,
  events,
  checkpoints,
}: Records): Omit<PairingView, 'changedIn'> {
  const transactionIndex = (txid: Txid) => transactions.get(txid)!.transactionIndex
  const newestObjects = [...objects.values()].sort(
    (one, other) =>
      other.createdHeight - one.createdHeight ||
      transactionIndex(other.createdTxid) - transactionIndex(one.createdTxid),
  )
  const newestCarriers = [...carriers.values()].sort(
    (one, other) =>
      other.createdHeight - one.createdHeight ||
      transactionIndex(other.txid) - transactionIndex(one.txid) ||
      other.vout - one.vout,
  )
  const newestCheckpoints = [...checkpoints.values()].sort(
    (one, other) => Number(other.height) - Number(one.height),
  )
  return {
    tip: () => tip,
    checkpoint: (height) => checkpoints.get(height) ?? null,
    latestCheckpoint: () => newestCheckpoints[0] ?? null,
    signature: () => null,
    block: (height) => {
      const checkpoint = checkpoints.get(height)
      const recorded = [...transactions.values()].filter((one) => one.height === height)
      recorded.sort((one, other) => one.transactionIndex - other.transactionIndex)
      return checkpoint
        ? {
            checkpoint,
            transactions: recorded.map((transaction) => ({
              transaction,
              events: events.get(transaction.txid) ?? [],
            })),
          }
        : null
    },
    object: (key) => objects.get(key) ?? null,
    carrier: (txid, vout) => carriers.get(`${txid}:${vout}`) ?? null,
    transaction: (txid) => transactions.get(txid) ?? null,
    events: (txid) => events.get(txid) ?? [],
    eventsOf: (key, limit) =>
      [...transactions.values()]
        .sort((a, b) => b.height - a.height || b.transactionIndex - a.transactionIndex)
        .flatMap(({ txid }) => (events.get(txid) ?? []).toReversed())
        .filter(({ objectKey }) => objectKey === key)
        .slice(0, limit),
    carriersOf: (address, limit) =>
      newestCarriers.filter((carrier) => carrier.address === address).slice(0, limit),
    search: (query, limit) => {
      const lower = query.toLowerCase()
      const found: SearchResult[] = newestObjects
        .filter(
          ({ objectKey, label }) =>
            objectKey.startsWith(lower) || label.toLowerCase().includes(lower),
        )
        .map(({ objectKey, label }) => ({
          kind: 'object',
          key: objectKey,
          ...(label === '' ? {} : { label }),
        }))
      const addresses = new Set(newestCarriers.map(({ address }) => address))
      const others: SearchResult[] = [
        ...newestCarriers.map((carrier) => ({ kind: 'carrier' as const, key: outpoint(carrier) })),
        ...[...transactions.keys()].map((key) => ({ kind: 'transaction' as const, key })),
      ].filter(({ key }) => key.startsWith(lower))
      if (addresses.has(lower)) others.push({ kind: 'address', key: lower })
      return [...found.sort(byKey), ...others.sort(byKey)].slice(0, limit)
    },
    objects: (limit) => newestObjects.slice(0, limit),
    carriers: (limit) => newestCarriers.slice(0, limit),
    checkpoints: (limit) => newestCheckpoints.slice(0, limit),
  }
}

const outpoint = ({ txid, vout }: PairingCarrier) => `${txid}:${vout}`
const byKey = (one: SearchResult, other: SearchResult) => (one.key < other.key ? -1 : 1)
