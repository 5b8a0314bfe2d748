import { describe, expect, test } from 'vitest'
import type { PairingHistory, WrittenBlock } from '../../src/ports/folds/pairing-history.ts'
import type { PairingBlock } from '../../src/ports/folds/pairing-views.ts'
import { toOutpointText } from '../support/ids.ts'
import { hash } from '../support/orders/evidence.ts'

export interface OpenedPairingHistory {
  history: PairingHistory
  /** Of another deployment, in the same place. */
  other: PairingHistory
  /** Makes a row of a table vanish. */
  lose(table: string, where: string): Promise<void>
  close(): Promise<void>
}

/** A block of a branch, with a transaction for each number of events. */
export function blockOf(height: number, branch: string, events: readonly number[]): PairingBlock {
  const name = (of: number) => hash(`${branch} ${of}`)
  const blockHash = name(height)
  return {
    checkpoint: {
      deployment: 'test',
      network: 'regtest',
      height: String(height),
      blockHash,
      previousCheckpointHash: hash(`checkpoint ${height === 7 ? 'main' : branch} ${height - 1}`),
      objectsRoot: hash('objects'),
      carriersRoot: hash('carriers'),
      eventsRoot: hash('events'),
      checkpointHash: hash(`checkpoint ${branch} ${height}`),
    },
    transactions: events.map((count, place) => {
      const txid = hash(`${branch} ${height} ${place}`)
      const transactionIndex = place + 1
      const isValid = count > 0
      return {
        transaction: {
          txid,
          height,
          blockHash,
          transactionIndex,
          opcode: isValid ? 1 : null,
          valid: isValid,
          reason: isValid ? null : 'multiple_markers',
        },
        events: Array.from({ length: count }, (_, eventIndex) => ({
          txid,
          eventIndex,
          height,
          blockHash,
          kind: 'object_created' as const,
          objectKey: hash(`object ${txid} ${eventIndex}`),
          from: null,
          to: toOutpointText(`${txid}:${eventIndex}`),
          pairId: null,
        })),
      }
    }),
  }
}

const MAIN = [5, 6, 7, 8, 9].map((height) => blockOf(height, 'main', [height % 3, 0, 1]))
/** On block 6 of the other. */
const BRANCH = [7, 8].map((height) => blockOf(height, 'branch', [2]))
const written = ({ checkpoint }: PairingBlock): WrittenBlock => ({
  height: Number(checkpoint.height),
  hash: checkpoint.blockHash,
  checkpointHash: checkpoint.checkpointHash,
})
const refs = MAIN.map(written)
const newest = refs.toReversed()

/** What every history of pairing rows does. `open` gives an empty one. */
export function pairingHistoryContract(
  name: string,
  open: () => Promise<OpenedPairingHistory>,
): void {
  const withHistory = (run: (opened: OpenedPairingHistory) => Promise<void>) => async () => {
    const opened = await open()
    try {
      await run(opened)
    } finally {
      await opened.close()
    }
  }

  describe(`PairingHistory/${name}`, () => {
    test(
      'an empty one says so; what is written is there, newest first, once, of its deployment alone',
      withHistory(async ({ history, other }) => {
        expect([await history.whole(5), await history.lastWritten(9)]).toEqual([null, []])
        await history.write(MAIN.slice(0, 3))
        await history.write(MAIN.slice(1))
        expect(await history.lastWritten(9)).toEqual(newest)
        expect(await history.lastWritten(2)).toEqual(newest.slice(0, 2))
        expect(await history.lastWritten(2, 7)).toEqual(newest.slice(2, 4))
        expect(await history.whole(5)).toEqual(refs.at(-1))
        expect([await other.whole(5), await other.lastWritten(9)]).toEqual([null, []])
      }),
    )

    test(
      'disconnected blocks are no longer canonical, and may come again',
      withHistory(async ({ history }) => {
        await history.write(MAIN)
        await history.markStale(newest.slice(0, 3))
        await history.markStale(newest.slice(0, 3))
        expect(await history.lastWritten(9)).toEqual(newest.slice(3))
        await history.write(BRANCH)
        expect(await history.whole(5)).toEqual(written(BRANCH[1]!))
        await history.markStale(BRANCH.map(written))
        await history.write(MAIN.slice(2))
        expect(await history.lastWritten(9)).toEqual(newest)
        expect(await history.whole(5)).toEqual(refs.at(-1))
      }),
    )

    test(
      'only the named blocks are marked, of two at one height',
      withHistory(async ({ history }) => {
        await history.write(MAIN)
        await history.write(BRANCH)
        expect(await history.whole(5)).toMatchObject({ height: 7 })
        await history.markStale([written(BRANCH[0]!), written(BRANCH[1]!)])
        expect(await history.lastWritten(9)).toEqual(newest)
      }),
    )

    test.each([
      ['a block', 'pairing_block_rows', 'height = 7', 6],
      ['the first block', 'pairing_block_rows', 'height = 5', null],
      ['a transaction', 'pairing_transaction_rows', 'height = 8 AND transaction_index = 2', 7],
      ['an event', 'pairing_event_rows', 'height = 9 AND transaction_index = 3', 8],
      ['everything', 'pairing_block_rows', '1', null],
    ])(
      'where %s is gone, it is whole up to the block before, until that comes again',
      async (_what, table, where, height) => {
        await withHistory(async ({ history, lose }) => {
          await history.write(MAIN)
          await lose(table, where)
          expect(await history.whole(5)).toEqual(refs.find((one) => one.height === height) ?? null)
          await history.write(MAIN)
          expect(await history.whole(5)).toEqual(refs.at(-1))
        })()
      },
    )

    test(
      'it is complete from the requested height, over connected blocks',
      withHistory(async ({ history }) => {
        await history.write(MAIN)
        expect(await history.whole(4)).toBeNull()
        await history.markStale(newest.slice(0, 3))
        await history.write([blockOf(8, 'branch', [])])
        expect(await history.whole(5)).toEqual(refs[1])
      }),
    )
  })
}
