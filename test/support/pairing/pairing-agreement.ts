import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import type { BlockFold } from '../../../src/ports/folds/block-fold.ts'
import type { PairingView, PairingViews } from '../../../src/ports/folds/pairing-views.ts'
import type { Txid } from '../../../src/schemas/scalars.ts'
import type { Records } from '../../oracle/pairing.ts'
import { viewOf } from '../../oracle/view.ts'
import { toTxid } from '../ids.ts'

const ALL = 100_000
/** Some of the newest, and all. */
const LIMITS = [1, 4, ALL]

/** All keys that any branch ever had: what was undone must be gone. */
export class Known {
  readonly #objects = new Set<string>()
  readonly #labels = new Set<string>()
  readonly #outpoints = new Set<string>()
  readonly #addresses = new Set<string>()
  readonly #txids = new Set<Txid>()
  readonly #heights = new Set([-1, 0, 0xffffffff])
  #asked = 0

  add({ objects, carriers, transactions, checkpoints }: Records): void {
    for (const { objectKey, label } of objects.values()) {
      this.#objects.add(objectKey)
      if (label !== '') this.#labels.add(label)
    }
    for (const [outpoint, { address }] of carriers) {
      this.#outpoints.add(outpoint)
      this.#addresses.add(address)
    }
    for (const txid of transactions.keys()) this.#txids.add(txid)
    for (const height of checkpoints.keys()) this.#heights.add(height).add(height + 1)
  }

  /** Every query that a view answers, by name. */
  answers(view: Omit<PairingView, 'changedIn'>): Map<string, unknown> {
    const answers = new Map<string, unknown>()
    // Causes of a difference before its consequences.
    for (const txid of this.#txids) {
      answers.set(`transaction ${txid}`, view.transaction(txid))
      answers.set(`events of ${txid}`, view.events(txid))
    }
    for (const key of this.#objects) {
      answers.set(`object ${key}`, view.object(key))
      answers.set(`events of object ${key}`, view.eventsOf(key, LIMITS[answers.size % 3]!))
    }
    for (const outpoint of this.#outpoints) {
      const [txid = '', vout] = outpoint.split(':')
      answers.set(`carrier ${outpoint}`, view.carrier(toTxid(txid), Number(vout)))
    }
    for (const address of this.#addresses)
      answers.set(`carriers of ${address}`, view.carriersOf(address, LIMITS[answers.size % 3]!))
    for (const limit of LIMITS) {
      answers.set(`${limit} objects`, view.objects(limit))
      answers.set(`${limit} carriers`, view.carriers(limit))
      answers.set(`${limit} checkpoints`, view.checkpoints(limit))
    }
    for (const height of this.#heights) {
      answers.set(`at ${height}`, view.checkpoint(height))
      answers.set(`block ${height}`, view.block(height))
    }
    answers.set('latest checkpoint', view.latestCheckpoint())
    answers.set('tip', view.tip())
    for (const query of this.#queries()) {
      answers.set(`search ${query}`, view.search(query, ALL))
      answers.set(`search 2 of ${query}`, view.search(query, 2))
    }
    return answers
  }

  nextQueries(): void {
    this.#asked += 1
  }

  /** A few of them each time, others the next time. */
  #queries(): string[] {
    const one = (from: ReadonlySet<string>): string => [...from][this.#asked % from.size] ?? '0'
    const label = one(this.#labels)
    const at = this.#asked % label.length
    return [
      one(this.#objects).slice(0, 1 + (this.#asked % 64)),
      one(this.#txids).slice(0, 1 + (this.#asked % 64)),
      one(this.#outpoints).slice(0, 63 + (this.#asked % 5)),
      one(this.#addresses),
      one(this.#addresses).slice(0, 12),
      label.toUpperCase(),
      label.slice(at, at + 2).toLowerCase(),
    ]
  }
}

/** Fails with the first query that index and oracle answer differently. */
export function expectAgreement(
  index: BlockFold & PairingViews,
  records: Records,
  known: Known,
): void {
  known.nextQueries()
  const expected = known.answers(viewOf(records))
  const actual = index.read((view) => known.answers(view))
  for (const [question, answer] of expected)
    if (!isDeepStrictEqual(actual.get(question), answer))
      expect({ question, answer: actual.get(question) }).toEqual({ question, answer })
  expect(index.tip()).toEqual(records.tip)
  for (const [height, { blockHash }] of records.checkpoints)
    if (index.hashAt(height) !== blockHash)
      expect([height, index.hashAt(height)]).toEqual([height, blockHash])
  const above = (records.tip?.height ?? index.startHeight - 1) + 1
  expect(index.hashAt(above)).toBeNull()
  expect(index.hashAt(index.startHeight - 1)).toBeNull()
}
