import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { beginningWith } from '../../src/pairing/fold/index-rows.ts'
import { SEARCHABLE } from '../../src/pairing/fold/parameters.ts'
import { Listed } from '../../src/pairing/listed.ts'
import { openPairingIndex, type PairingIndex } from '../../src/pairing/pairing-index.ts'
import {
  type Ask,
  askAddress,
  askCarriers,
  askCheckpoints,
  askEventsOfObject,
  askObjects,
  askSearch,
  type Parameters as Given,
  type PairingQuestion,
} from '../../src/pairing/questions.ts'
import type { PairingReads, PairingStore } from '../../src/ports/folds/pairing-store.ts'
import type { PairingView } from '../../src/ports/folds/pairing-views.ts'
import type {
  PairingCarrier,
  PairingObject,
  PairingTransaction,
  SearchResult,
} from '../../src/schemas/api/pairing.ts'
import type { Txid } from '../../src/schemas/scalars.ts'
import { memoryPairingStore } from '../support/folds/memory-pairing-store.ts'
import { toTxid } from '../support/ids.ts'
import {
  at,
  create,
  elsewhere,
  hashBytes,
  LittleChain,
  OP_TRUE,
  p2wsh,
  transactionOf,
} from '../support/pairing/pairing-blocks.ts'
import { drawnBlocks, mineDrawn } from '../support/pairing/pairing-lives.ts'
import { SETTINGS } from '../support/pairing/pairing-story.ts'

const MAX = 10_000

/** An index of a drawn chain, and everything in it, read record by record. */
async function indexOf(drawn: Parameters<typeof mineDrawn>[0]) {
  const blocks = mineDrawn(drawn)
  const index = openPairingIndex({ store: memoryPairingStore(), settings: SETTINGS })
  await index.connect(blocks)
  const txids = blocks.flatMap(({ block }) => block.transactions.map(({ txid }) => txid))
  const whole = index.read((view) => wholeOf(view, txids))
  return { index, whole, blocks }
}

/** A list like the lists of `items`. */
const itemsOf =
  <T>(
    ask: Ask<Listed<T>>,
    items: (body: T) => readonly unknown[],
    parameters: Given,
  ): PairingQuestion<Listed<{ items: unknown[] }>> =>
  (view) => {
    const { body, next } = ask(parameters, 'regtest')(view)
    return new Listed({ items: [...items(body)] }, next)
  }

/** Every page of a list, by its cursors. */
function walk(view: PairingView, ask: Ask<Listed<{ items: unknown[] }>>, limit: number) {
  const all: unknown[] = []
  let cursor: string | null | undefined
  do {
    const parameters = { limit: String(limit), ...(cursor && { cursor }) }
    const page = ask(parameters, 'regtest')(view)
    expect(page.body.items.length).toBeLessThanOrEqual(limit)
    all.push(...page.body.items)
    cursor = page.next
  } while (cursor)
  return all
}

interface Whole {
  transactions: PairingTransaction[]
  objects: PairingObject[]
  carriers: PairingCarrier[]
}

/** By single look-ups only. */
function wholeOf(view: PairingView, txids: readonly Txid[]): Whole {
  const present = <T>(found: (T | null)[]): T[] => found.flatMap((one) => (one ? [one] : []))
  const transactions = present(txids.map((txid) => view.transaction(txid)))
  const events = transactions.flatMap(({ txid }) => view.events(txid))
  const keys = new Set(events.map(({ objectKey }) => objectKey))
  const outpoints = events.flatMap(({ to }) => (to ? [to.split(':')] : []))
  return {
    transactions,
    objects: present([...keys].map((key) => view.object(key))),
    carriers: present(
      outpoints.map(([txid = '', vout]) => view.carrier(toTxid(txid), Number(vout))),
    ),
  }
}

/** Newest first, by the numbers themselves. */
function newestFirst<T>(whole: Whole, records: readonly T[], place: (of: T) => [string, number]) {
  const numbers = (record: T): number[] => {
    const [txid, vout] = place(record)
    const tx = whole.transactions.find((one) => one.txid === txid)
    return [tx?.height ?? -1, tx?.transactionIndex ?? -1, vout]
  }
  return [...records].sort((one, other) => {
    const [mine, theirs] = [numbers(one), numbers(other)]
    const differing = mine.findIndex((value, index) => value !== theirs[index])
    return (theirs[differing] ?? 0) - (mine[differing] ?? 0)
  })
}

/** A scan of everything. */
function naiveSearch(whole: Whole, query: string): SearchResult[] {
  const text = query.toLowerCase()
  const objects = whole.objects
    .filter(({ objectKey, label }) => {
      return objectKey.startsWith(text) || label.toLowerCase().includes(text)
    })
    .map(
      ({ objectKey: key, label }): SearchResult => ({
        kind: 'object',
        key,
        ...(label !== '' && { label }),
      }),
    )
  const carriers = whole.carriers.map(({ txid, vout }) => `${txid}:${vout}`)
  const addresses = new Set(whole.carriers.map(({ address }) => address))
  const others: SearchResult[] = [
    ...carriers.map((key) => ({ kind: 'carrier' as const, key })),
    ...whole.transactions.map(({ txid }) => ({ kind: 'transaction' as const, key: txid })),
  ]
  return [
    ...objects.sort(byKey),
    ...[
      ...others.filter(({ key }) => key.startsWith(text)),
      ...(addresses.has(text) ? [{ kind: 'address' as const, key: text }] : []),
    ].sort(byKey),
  ]
}

const byKey = (one: SearchResult, other: SearchResult): number =>
  one.key < other.key ? -1 : one.key > other.key ? 1 : 0

test('the drawn chain is complete: every kind of event, and every opcode valid and invalid', async () => {
  const lives = await Promise.all(fc.sample(drawnBlocks(), { numRuns: 60, seed: 11 }).map(indexOf))
  const kinds = lives.flatMap(({ index, whole }) =>
    whole.transactions.flatMap(({ txid }) =>
      index.read((view) => view.events(txid).map(({ kind }) => kind)),
    ),
  )
  expect([...new Set(kinds)].sort()).toEqual([
    'carrier_moved',
    'object_created',
    'object_released',
    'objects_paired',
    'pair_dissolved',
  ])
  const rulings = lives.flatMap(({ whole }) =>
    whole.transactions.map(({ opcode, valid }) => `${opcode} ${valid}`),
  )
  const all = ['1 true', '2 false', '2 true', '3 false', '3 true', '4 false', '4 true']
  expect([...new Set(rulings)].sort()).toEqual([...all, 'null false'])
})

describe('lists', () => {
  test('are everything, newest first, and never longer than asked for', async () => {
    await fc.assert(
      fc.asyncProperty(drawnBlocks(), fc.integer({ min: 1, max: 9 }), async (drawn, limit) => {
        const { index, whole, blocks } = await indexOf(drawn)
        const objects = newestFirst(whole, whole.objects, (one) => [one.createdTxid, 0])
        const carriers = newestFirst(whole, whole.carriers, (one) => [one.txid, one.vout])
        index.read((view) => {
          expect(view.objects(MAX)).toEqual(objects)
          expect(view.objects(limit)).toEqual(objects.slice(0, limit))
          expect(view.carriers(MAX)).toEqual(carriers)
          expect(view.carriers(limit)).toEqual(carriers.slice(0, limit))
          const newest = [...blocks].reverse().map(({ height }) => view.checkpoint(height))
          expect(view.checkpoints(MAX)).toEqual(newest)
          expect(view.checkpoints(limit)).toEqual(newest.slice(0, limit))
          expect(view.latestCheckpoint()).toEqual(newest[0])
          const pages = (ask: Ask<Listed<{ items: unknown[] }>>) => walk(view, ask, limit)
          expect(pages(askObjects)).toEqual(objects)
          expect(pages(askCarriers)).toEqual(carriers)
          expect(pages(askCheckpoints)).toEqual(newest)
          for (const { objectKey } of objects) {
            const events = whole.transactions
              .flatMap(({ txid }) => view.events(txid))
              .filter((event) => event.objectKey === objectKey)
            const eventsOf = (parameters: Given) =>
              itemsOf(askEventsOfObject, (body) => body.events, { ...parameters, objectKey })
            expect(pages(eventsOf)).toEqual(events.toReversed())
          }
          for (const { address } of carriers) {
            const there = carriers.filter((carrier) => carrier.address === address)
            expect(view.carriersOf(address, MAX)).toEqual(there)
            expect(view.carriersOf(address, limit)).toEqual(there.slice(0, limit))
            const carriersOf = (parameters: Given) =>
              itemsOf(askAddress, (body) => body.carriers, { ...parameters, address })
            expect(pages(carriersOf)).toEqual(there)
          }
        })
      }),
      { numRuns: 60 },
    )
  })

  test('sort by numbers, not by digits: index 10 is newer than 9, vout 16 than 2', async () => {
    const chain = new LittleChain()
    const made = Array.from({ length: 12 }, (_, seed) =>
      transactionOf(
        [elsewhere(seed)],
        [...Array.from({ length: 17 }, () => p2wsh(1)), create(seed + 5, hashBytes(seed))],
      ),
    )
    const index = openPairingIndex({ store: memoryPairingStore(), settings: SETTINGS })
    await index.connect([chain.mine(...made)])
    const expected = made.map((tx, seed) => at(tx, seed + 5)).reverse()
    const found = index.read((view) =>
      view.carriers(MAX).map(({ txid, vout }) => `${txid}:${vout}`),
    )
    expect(found).toEqual(expected)
    const order = index.read((view) => view.objects(MAX).map(({ carrier }) => carrier))
    expect(order).toEqual(expected)
  })

  test('of nothing are empty', () => {
    const index = openPairingIndex({ store: memoryPairingStore(), settings: SETTINGS })
    index.read((view) => {
      expect([view.tip(), view.latestCheckpoint(), view.checkpoint(0)]).toEqual([null, null, null])
      expect([view.objects(9), view.carriers(9), view.checkpoints(9)]).toEqual([[], [], []])
      expect([view.search('a', 9), view.carriersOf('bcrt1', 9), view.events(toTxid('ab'))]).toEqual(
        [[], [], []],
      )
      expect([
        view.object('ab'),
        view.carrier(toTxid('ab'), 0),
        view.transaction(toTxid('ab')),
      ]).toEqual([null, null, null])
    })
  })
})

describe('search', () => {
  test('finds what a scan of everything finds, in its order', async () => {
    await fc.assert(
      fc.asyncProperty(
        drawnBlocks(),
        fc.string({
          unit: fc.constantFrom('a', 'A', 'b', '1', '.', 'f'),
          minLength: 1,
          maxLength: 5,
        }),
        fc.nat(),
        fc.integer({ min: 1, max: 66 }),
        fc.integer({ min: 1, max: 9 }),
        async (drawn, text, pick, length, limit) => {
          const { index, whole } = await indexOf(drawn)
          const texts = [
            ...whole.objects.flatMap(({ objectKey, label }) => [objectKey, label, label.slice(1)]),
            ...whole.carriers.flatMap(({ txid, vout, address }) => [`${txid}:${vout}`, address]),
            text,
          ].filter((one) => one !== '')
          const known = texts[pick % texts.length] ?? text
          for (const query of [text, known, known.toUpperCase(), known.slice(0, length)]) {
            const expected = naiveSearch(whole, query)
            index.read((view) => {
              expect(view.search(query, MAX)).toEqual(expected)
              expect(view.search(query, limit)).toEqual(expected.slice(0, limit))
              if (!SEARCHABLE.test(query)) return
              const search = (parameters: Given) =>
                itemsOf(askSearch, (body) => body.results, { ...parameters, q: query })
              expect(walk(view, search, limit)).toEqual(expected)
            })
          }
        },
      ),
      { numRuns: 150 },
    )
  })

  let index: PairingIndex
  let keyOf: (label: string) => string
  const labels = ['abcabc', 'abcab', 'bcabca', 'xabcx', 'ABCABCABC', 'aaaa', 'aaa', 'a-b_c.d', '']

  beforeAll(async () => {
    const chain = new LittleChain()
    const made = labels.map((label, seed) =>
      transactionOf([elsewhere(seed)], [p2wsh(seed), create(0, hashBytes(seed), label), OP_TRUE]),
    )
    index = openPairingIndex({ store: memoryPairingStore(), settings: SETTINGS })
    await index.connect([chain.mine(...made)])
    const objects = index.read((view) => view.objects(MAX))
    keyOf = (label) => objects.find((object) => object.label === label)?.objectKey ?? ''
  })

  test.each([
    ['abcabc', ['abcabc', 'ABCABCABC']],
    ['cabca', ['bcabca', 'ABCABCABC']],
    ['XABCX', ['xabcx']],
    ['aaa', ['aaaa', 'aaa']],
    ['aaaa', ['aaaa']],
    ['aaaaa', []],
    ['-b_', ['a-b_c.d']],
    ['a-b_c.d', ['a-b_c.d']],
    ['abcx', ['xabcx']],
    ['bcx-', []],
    ['abc:abc', []],
    ['a:', []],
    ['objects:', []],
    ['gram:aaa:', []],
  ])('%s is part of these labels', (query, found) => {
    const keys = found.map(keyOf).sort()
    const results = index.read((view) => view.search(query, MAX))
    expect(results.map(({ kind, key }) => [kind, key])).toEqual(keys.map((key) => ['object', key]))
  })

  /** An index of objects with these labels, and the documents of objects that its reads have read. */
  async function countedIndexOf(made: readonly string[]) {
    const memory = memoryPairingStore()
    const documents: string[] = []
    const noting = (tables: PairingReads): PairingReads => ({
      ...tables,
      objects: {
        ...tables.objects,
        get: (key) => {
          documents.push(key)
          return tables.objects.get(key)
        },
      },
    })
    const store: PairingStore = {
      read: (query) => memory.read((tables) => query(noting(tables))),
      write: memory.write,
    }
    const counted = openPairingIndex({ store, settings: SETTINGS })
    const block = new LittleChain().mine(
      ...made.map((label, seed) =>
        transactionOf([elsewhere(seed)], [p2wsh(1), create(0, hashBytes(seed), label)]),
      ),
    )
    await counted.connect([block])
    return { store, counted, documents }
  }

  test('labels that have every piece of a text, but not the text, cost no document each', async () => {
    const decoys = ['aaa', 'abc.bcd', 'bcde.abcd']
    const made = Array.from({ length: 300 }, (_, seed) => decoys[seed % 3] ?? '')
    const { counted, documents } = await countedIndexOf([...made, 'xabcdex'])
    const search = (query: string) => counted.read((view) => view.search(query, MAX))
    expect(search('aaaa')).toEqual([])
    expect(search('abc.bcde')).toEqual([])
    expect(documents).toEqual([])
    const key = expect.any(String)
    expect(search('abcde')).toEqual([{ kind: 'object', key, label: 'xabcdex' }])
    expect(documents.length).toBe(1)
  })

  test('rows of 0.9, which have no label, find the same', async () => {
    const { store, counted } = await countedIndexOf(labels)
    const queries = ['abcabc', 'XABCX', 'aaaa', 'aaaaa', 'a-b_c.d', 'bcx-', 'bc']
    const search = () => queries.map((query) => counted.read((view) => view.search(query, MAX)))
    const expected = search()
    await store.write(({ rows }) => {
      for (const key of [...rows.keys(beginningWith('gram:'))]) rows.put(key, '')
    })
    expect(search()).toEqual(expected)
  })

  test('of an address must name it in full, and finds it in capitals too', () => {
    const [carrier] = index.read((view) => view.carriers(1))
    const address = carrier?.address ?? ''
    const search = (query: string) => index.read((view) => view.search(query, MAX))
    expect(search(address)).toEqual([{ kind: 'address', key: address }])
    expect(search(address.toUpperCase())).toEqual([{ kind: 'address', key: address }])
    expect(search(address.slice(0, -1))).toEqual([])
    expect(search(`${address}:`)).toEqual([])
  })

  test('of a txid names the transaction before its carriers', () => {
    const [carrier] = index.read((view) => view.carriers(1))
    const txid = carrier?.txid ?? ''
    expect(index.read((view) => view.search(txid, MAX))).toEqual([
      { kind: 'transaction', key: txid },
      { kind: 'carrier', key: `${txid}:0` },
    ])
    expect(index.read((view) => view.search(`${txid}:`, MAX))).toEqual([
      { kind: 'carrier', key: `${txid}:0` },
    ])
  })

  test('an object without a label is shown without one', () => {
    const key = keyOf('')
    expect(index.read((view) => view.search(key, MAX))).toEqual([{ kind: 'object', key }])
  })
})
