import fc from 'fast-check'
import type { KafkaMessage } from 'kafkajs'
import { expect, test } from 'vitest'
import { LmdbStore } from '../../../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { openIngestCopy } from '../../../../src/adapters/embedded/log/ingest-store.ts'
import { EntryPieces } from '../../../../src/adapters/kafka/changelog-pieces.ts'
import { restoreWindows } from '../../../../src/adapters/kafka/inbox/restore-windows.ts'
import {
  copyChangeOf,
  restoreCopy,
  writtenChange,
} from '../../../../src/adapters/kafka/ingest-changelog.ts'
import type {
  CopyPosition,
  IngestChange,
  IngestCopy,
} from '../../../../src/ports/log/ingest-store.ts'
import { PIECES_SCHEMA } from '../../../../src/schemas/log.ts'
import type { Txid } from '../../../../src/schemas/scalars.ts'
import { temporaryDirectory } from '../../../support/embedded.ts'
import { toBlockHash, toTxid } from '../../../support/ids.ts'

const START: CopyPosition = { logId: 'log', offset: 0, at: 0 }
const WINDOW_BYTES = 1_500
const FETCHED = 7
const WRITTEN = 3

const bare = (n: number) => ({
  txid: toTxid(n.toString(16).padStart(64, '0')),
  bytes: Buffer.from([n]),
})
const blockOf = (height: number, fork: number) => ({
  height,
  hash: toBlockHash(`${fork}`.padStart(64, `${height}`)),
  prevHash: null,
  time: height,
  transactions: [bare(height)],
})
const mempoolStep = (count: number) => ({
  kind: 'mempool' as const,
  changes: Array.from({ length: count }, (_, n) => ({
    ...{ change: 'entered' as const, transaction: bare(n), sequence: n },
  })),
})
const changes = fc.array(
  fc.record({
    epoch: fc.nat(5),
    pending: fc.nat(3),
    entered: fc.uniqueArray(fc.nat(9), { maxLength: 4 }),
    left: fc.uniqueArray(fc.nat(9), { maxLength: 4 }),
    keep: fc.option(fc.tuple(fc.nat(6), fc.nat(1)), { nil: undefined }),
    forget: fc.option(fc.tuple(fc.nat(6), fc.nat(1)), { nil: undefined }),
  }),
  { maxLength: 20 },
)
type Drawn = typeof changes extends fc.Arbitrary<infer T> ? T : never

/**
 * What is written of them, as a broker delivers it: whole, or in pieces of so many characters. The
 * place of each change's end is with it.
 */
function messagesOf(drawn: Drawn, characters = Infinity): KafkaMessage[] {
  let statePieces = 0
  return drawn
    .flatMap(({ epoch, pending, entered, left, keep, forget }) => {
      const change: IngestChange = {
        state: {
          ...{ epoch, tip: null, owed: { touched: '' }, index: null },
          pending: pending === 0 ? null : mempoolStep(pending),
        },
        entered: entered.map(bare),
        left: left.map((n) => bare(n).txid),
        ...(keep ? { keep: blockOf(...keep) } : {}),
      }
      const forgotten = forget ? [blockOf(...forget)] : []
      const written = writtenChange(change, { statePieces, forgotten }, PIECES_SCHEMA, characters)
      statePieces = written.statePieces
      return written.records
    })
    .map(({ key, value }, at) => ({
      key: Buffer.from(key),
      value: value === null ? null : Buffer.from(JSON.stringify(value)),
      // Compacted: offsets have holes.
      offset: String(at * 3),
      timestamp: '0',
      attributes: 0,
      headers: {},
    }))
}

/** What a broker may have left of it: the newer part whole, of the older part the last of each key. */
function compacted(messages: readonly KafkaMessage[], older: number): KafkaMessage[] {
  const last = new Map(messages.map(({ key, offset }) => [key?.toString(), offset]))
  return messages.filter(
    ({ key, offset }, at) => at >= older || last.get(key?.toString()) === offset,
  )
}

async function* fetchesFrom(messages: readonly KafkaMessage[], offset: number) {
  const left = messages.filter((message) => Number(message.offset) >= offset)
  for (let at = 0; at < left.length; at += FETCHED) {
    const part = left.slice(at, at + FETCHED)
    yield { messages: part, next: Number(part.at(-1)?.offset) + 1 }
  }
}

async function contentsOf(copy: IngestCopy) {
  const mempool: Txid[] = []
  for await (const txid of copy.mempool()) mempool.push(txid)
  return {
    state: await copy.state(),
    mempool: mempool.sort(),
    bodies: await copy.transactions(mempool),
    blocks: await Promise.all(
      copy.storedBelow(1_000).map(async (ref) => (await copy.block(ref))?.transactions.length),
    ),
    kept: copy.storedBelow(1_000),
  }
}

async function withCopies(run: (open: () => Promise<IngestCopy>) => Promise<void>) {
  const directory = temporaryDirectory()
  const store = await LmdbStore.open(directory.path)
  const copy = openIngestCopy(store)
  try {
    await run(async () => {
      await copy.clear()
      return copy
    })
  } finally {
    await store.close()
    directory.drop()
  }
}

test('a copy made in windows equals one made entry by entry, also after a crash within a window', async () => {
  await withCopies(async (open) => {
    const characters = fc.constantFrom(Infinity, 40, 90, 400)
    await fc.assert(
      fc.asyncProperty(changes, characters, fc.nat(12), fc.nat(60), async (...of) => {
        const [drawn, size, written, older] = of
        const inTurn = await open()
        const pieces = new EntryPieces()
        const whole = messagesOf(drawn).flatMap((message) => pieces.read(message) ?? [])
        await inTurn.apply(whole.map(copyChangeOf), START)
        const expected = await contentsOf(inTurn)

        const messages = compacted(messagesOf(drawn, size), older)

        const copy = await open()
        let left = written
        const crashing: Pick<IngestCopy, 'apply'> = {
          apply: async (entries, position) => {
            if (left === 0) throw new Error('crash')
            left -= 1
            await copy.apply(entries, position)
          },
        }
        const windows = (offset: number) =>
          restoreWindows(fetchesFrom(messages, offset), WINDOW_BYTES)
        await restoreCopy(crashing, windows(0), START, WRITTEN).catch(() => undefined)
        const position = copy.position() ?? START
        await restoreCopy(copy, windows(position.offset), position)
        expect(await contentsOf(copy)).toEqual(expected)
      }),
      { numRuns: 150 },
    )
  })
})

test('a window has the last message of each key in the order of the keys, and ends by its bytes', async () => {
  const message = (offset: number, key: string, value: string): KafkaMessage => ({
    key: Buffer.from(key),
    value: Buffer.from(value),
    offset: String(offset),
    timestamp: '0',
    attributes: 0,
    headers: {},
  })
  async function* stored() {
    yield { messages: [message(0, 'b', 'old'), message(1, 'a', '1')], next: 2 }
    yield { messages: [message(5, 'b', 'new')], next: 9 }
    yield { messages: [], next: 20 }
    yield { messages: [message(20, 'c', '2')], next: 21 }
  }
  const found: unknown[] = []
  for await (const { latest, next } of restoreWindows(stored(), 10)) {
    found.push({ next, latest: latest.map(({ key, value }) => `${key} ${value}`) })
  }
  expect(found).toEqual([
    { next: 9, latest: ['a 1', 'b new'] },
    { next: 21, latest: ['c 2'] },
  ])
})

test('a disk that fills during a takeover: the cause is reported, and with space the copy is complete', async () => {
  const all = Array.from({ length: 20 }, (_, n) => n)
  const messages = messagesOf([
    { epoch: 1, pending: 0, entered: all, left: [], keep: undefined, forget: undefined },
  ])
  const windows = (offset: number) => restoreWindows(fetchesFrom(messages, offset), WINDOW_BYTES)
  const directory = temporaryDirectory()
  const onDisk = async <T>(minFreeBytes: number, run: (copy: IngestCopy) => Promise<T>) => {
    const store = await LmdbStore.open(directory.path, { minFreeBytes })
    try {
      return await run(openIngestCopy(store))
    } finally {
      await store.close()
    }
  }
  try {
    const fetched = messages.filter((_, at) => at < FETCHED)
    await onDisk(0, (copy) =>
      restoreCopy(copy, restoreWindows(fetchesFrom(fetched, 0), WINDOW_BYTES), START, WRITTEN),
    )
    const position = await onDisk(Number.MAX_SAFE_INTEGER, async (copy) => {
      const reached = copy.position() ?? START
      expect(reached.offset).toBeGreaterThan(START.offset)
      await expect(
        restoreCopy(copy, windows(reached.offset), reached, WRITTEN),
      ).rejects.toMatchObject({
        name: 'StorageUnavailableError',
        reason: 'full',
      })
      expect(copy.position()).toEqual(reached)
      return reached
    })
    await onDisk(0, async (copy) => {
      await restoreCopy(copy, windows(position.offset), position, WRITTEN)
      const { mempool } = await contentsOf(copy)
      expect(mempool.sort()).toEqual(all.map((n) => bare(n).txid).sort())
    })
  } finally {
    directory.drop()
  }
})
