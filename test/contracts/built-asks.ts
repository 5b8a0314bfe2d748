import { describe, expect, test } from 'vitest'
import type { BuiltAsk, BuiltAskBounds, BuiltAsks } from '../../src/ports/views/built-asks.ts'
import type { Txid } from '../../src/schemas/scalars.ts'
import { toOutpointText, toTxid } from '../support/ids.ts'

export interface OpenedBuiltAsks {
  store: BuiltAsks
  /** The same store by another process; `store` is not used any longer. */
  reopen(): Promise<BuiltAsks>
  close(): Promise<void>
}

const NOW = Date.UTC(2030, 0, 1)
const DAY_MS = 24 * 3_600_000

const built = (token: string, outpoint = toOutpointText(`${'ab'.repeat(32)}:0`)): BuiltAsk => ({
  outpoint,
  protocolId: 'inscriptions',
  token,
  quotedPriceSats: '50000',
})
const txid = (n: number): Txid => toTxid(n.toString(16).padStart(64, '0'))

/**
 * What every store of builds does. `open` gives an empty one, with the service's limits by default.
 */
export function builtAsksContract(
  name: string,
  open: (bounds?: BuiltAskBounds) => Promise<OpenedBuiltAsks>,
): void {
  const withStore =
    (run: (opened: OpenedBuiltAsks) => Promise<void>, bounds?: BuiltAskBounds) => async () => {
      const opened = await open(bounds)
      try {
        await run(opened)
      } finally {
        await opened.close()
      }
    }

  describe(`BuiltAsks/${name}`, () => {
    test(
      'a build is found by its transaction, with all its terms, also after a restart',
      withStore(async (opened) => {
        const asset = {
          inscriptionId: `${txid(1)}i0`,
          outpoint: { txid: txid(1), vout: 0 },
        }
        const said = { ...built('été'), asset }
        expect(await opened.store.remember(txid(1), said, NOW)).toBe(true)
        expect(await opened.store.find(txid(1), NOW)).toEqual(said)
        expect(await opened.store.find(txid(2), NOW)).toBeNull()
        const store = await opened.reopen()
        expect(await store.find(txid(1), NOW + DAY_MS - 1)).toEqual(said)
      }),
    )

    test(
      'another build under a transaction is refused while the first is remembered',
      withStore(async ({ store }) => {
        expect(await store.remember(txid(1), built('first'), NOW)).toBe(true)
        expect(await store.remember(txid(1), built('second'), NOW + 1)).toBe(false)
        expect(await store.find(txid(1), NOW + 1)).toEqual(built('first'))
        expect(await store.remember(txid(1), built('second'), NOW + DAY_MS)).toBe(true)
        expect(await store.find(txid(1), NOW + DAY_MS)).toEqual(built('second'))
      }),
    )

    test(
      'of simultaneous builds under a transaction one is remembered',
      withStore(async ({ store }) => {
        const all = Array.from({ length: 8 }, (_, n) => built(`token ${n}`))
        const kept = await Promise.all(all.map((one) => store.remember(txid(1), one, NOW)))
        expect(kept.filter((isKept) => isKept)).toHaveLength(1)
        expect(await store.find(txid(1), NOW)).toEqual(all[kept.indexOf(true)])
      }),
    )

    test(
      'is forgotten after a day, and repeating the build restarts its day',
      withStore(async ({ store }) => {
        await store.remember(txid(1), built('once'), NOW)
        await store.remember(txid(2), built('twice'), NOW)
        expect(await store.remember(txid(2), built('twice'), NOW + DAY_MS / 2)).toBe(true)
        expect(await store.find(txid(1), NOW + DAY_MS - 1)).toEqual(built('once'))
        expect(await store.find(txid(1), NOW + DAY_MS)).toBeNull()
        expect(await store.find(txid(2), NOW + DAY_MS)).toEqual(built('twice'))
        // What is too old leaves the store with the next build: then it is gone at any time.
        await store.remember(txid(3), built('later'), NOW + DAY_MS)
        expect(await store.find(txid(1), NOW)).toBeNull()
      }),
    )

    test(
      'keeps 64 of one output; the oldest makes room, and other outputs are not affected',
      withStore(async ({ store }) => {
        const other = built('other', toOutpointText(`${'cd'.repeat(32)}:7`))
        await store.remember(txid(999), other, NOW)
        for (let n = 0; n < 66; n += 1) await store.remember(txid(n), built(`token ${n}`), NOW + n)
        const now = NOW + 66
        expect(await store.find(txid(1), now)).toBeNull()
        expect(await store.find(txid(2), now)).toEqual(built('token 2'))
        expect(await store.find(txid(65), now)).toEqual(built('token 65'))
        expect(await store.find(txid(999), now)).toEqual(other)
      }),
    )

    test(
      'repeating a build takes no second place',
      withStore(async ({ store }) => {
        await store.remember(txid(1), built('first'), NOW)
        for (let n = 0; n < 100; n += 1) await store.remember(txid(2), built('same'), NOW + n)
        expect(await store.find(txid(1), NOW + 100)).toEqual(built('first'))
      }),
    )

    test(
      'keeps no more than its limit in all: the oldest makes room',
      withStore(
        async ({ store }) => {
          for (let n = 0; n < 8; n += 1) {
            await store.remember(
              txid(n),
              built(`token ${n}`, toOutpointText(`${txid(n)}:0`)),
              NOW + n,
            )
          }
          const found = []
          for (let n = 0; n < 8; n += 1) found.push((await store.find(txid(n), NOW + 8))?.token)
          expect(found).toEqual([
            undefined,
            undefined,
            undefined,
            'token 3',
            'token 4',
            'token 5',
            'token 6',
            'token 7',
          ])
        },
        { retentionMs: DAY_MS, atOneOutput: 64, inAll: 5 },
      ),
    )
  })
}
