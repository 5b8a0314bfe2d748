import { describe, expect, test } from 'vitest'
import type {
  CircleStore,
  FoldedCircles,
  RecordChange,
} from '../../src/ports/folds/circle-store.ts'
import type { CircleState, Edge } from '../../src/schemas/api/circles.ts'
import { CircleChain } from '../support/folds/circle-chain.ts'
import { follow, openIndex } from '../support/folds/circle-runs.ts'
import { type AnyHash, toAnyHash, toOutpointText } from '../support/ids.ts'

export interface OpenedCircleStore {
  store: CircleStore
  /** The same store by another process; `store` is not used any longer. */
  reopen(): Promise<CircleStore>
  close(): Promise<void>
}

const id = (n: number): AnyHash => toAnyHash(n.toString(16).padStart(64, '0'))
const edge = (n: number): Edge => ({
  fromCircle: id(n),
  toCircle: id(n + 1),
  lineageId: id(n),
  viaOutpoint: toOutpointText(`${id(n)}:0`),
})
const made = (key: string, after: Edge): RecordChange => ({
  section: 'edges',
  key,
  before: null,
  after,
})
const state = (revision: number, height: number): CircleState => ({
  revision,
  stateHash: id(revision),
  height,
  blockHash: id(height),
})
const block = (
  height: number,
  changes: readonly RecordChange[] = [],
  revision = height,
): FoldedCircles => ({
  height,
  hash: id(height),
  changes,
  state: changes.length > 0 ? state(revision, height) : null,
})

/** What every store of circles does. `open` gives an empty one. */
export function circleStoreContract(name: string, open: () => Promise<OpenedCircleStore>): void {
  const withStore = (run: (opened: OpenedCircleStore) => Promise<void>) => async () => {
    const opened = await open()
    try {
      await run(opened)
    } finally {
      await opened.close()
    }
  }
  const keysOf = (store: CircleStore) => [...store.records('edges')].map(({ key }) => key)

  describe(`CircleStore/${name}`, () => {
    test(
      'is empty, with nothing to disconnect',
      withStore(async ({ store }) => {
        expect(store.settings()).toBeNull()
        expect(store.tip()).toBeNull()
        expect(store.hashAt(0)).toBeNull()
        expect(store.states(10)).toEqual([])
        expect(store.undo()).toEqual([])
        expect(keysOf(store)).toEqual([])
        expect(store.circle(id(1))).toBeNull()
        await expect(store.disconnect()).rejects.toThrow('left to disconnect')
      }),
    )

    test(
      'keeps blocks, records in the order of their keys, and states newest first',
      withStore(async (opened) => {
        await opened.store.keepSettings({ network: 'regtest', startHeight: 5 })
        await opened.store.connect([
          block(5, [made('b', edge(1)), made('a', edge(2))]),
          block(6),
          block(7, [made('ab', edge(3))]),
        ])
        for (const open of [async () => opened.store, opened.reopen]) {
          const store = await open()
          expect(store.settings()).toEqual({ network: 'regtest', startHeight: 5 })
          expect(store.tip()).toEqual({ height: 7, hash: id(7) })
          expect([4, 5, 6, 7, 8].map((height) => store.hashAt(height))).toEqual([
            null,
            id(5),
            id(6),
            id(7),
            null,
          ])
          expect([...store.records('edges')]).toEqual([
            { key: 'a', record: edge(2) },
            { key: 'ab', record: edge(3) },
            { key: 'b', record: edge(1) },
          ])
          expect(store.get('edges', 'ab')).toEqual(edge(3))
          expect(store.get('edges', 'c')).toBeNull()
          expect(store.get('lineages', 'a')).toBeNull()
          expect(store.states(10)).toEqual([state(7, 7), state(5, 5)])
          expect(store.states(1)).toEqual([state(7, 7)])
          expect(store.states(10, 8)).toEqual([state(7, 7), state(5, 5)])
          expect(store.states(10, 7)).toEqual([state(5, 5)])
          expect(store.states(10, 5)).toEqual([])
          expect(store.states(10, 0)).toEqual([])
          const made = [5, 7].map((height) => ({
            block: { height, hash: id(height) },
            state: state(height, height),
          }))
          expect(store.statesAbove(-1, 10)).toEqual(made)
          expect(store.statesAbove(-1, 1)).toEqual(made.slice(0, 1))
          expect(store.statesAbove(5, 10)).toEqual(made.slice(1))
          expect(store.statesAbove(7, 10)).toEqual([])
        }
      }),
    )

    test(
      'disconnects blocks one by one, to records as they were and to nothing',
      withStore(async ({ store }) => {
        const altered: RecordChange = {
          section: 'edges',
          key: 'a',
          before: edge(1),
          after: edge(9),
        }
        await store.connect([
          block(0, [made('a', edge(1))]),
          block(1, [altered, made('b', edge(2))]),
        ])
        expect(store.get('edges', 'a')).toEqual(edge(9))
        expect(store.undo().map(({ key, after }) => [key, after])).toEqual([
          ['a', edge(1)],
          ['b', null],
        ])
        await store.disconnect()
        expect([...store.records('edges')]).toEqual([{ key: 'a', record: edge(1) }])
        expect(store.tip()).toEqual({ height: 0, hash: id(0) })
        expect(store.states(10)).toEqual([state(0, 0)])
        await store.disconnect()
        expect(store.tip()).toBeNull()
        expect(store.hashAt(0)).toBeNull()
        expect(keysOf(store)).toEqual([])
        expect(store.states(10)).toEqual([])
      }),
    )

    test(
      'finds a circle by its txid, as long as its block is there',
      withStore(async ({ store }) => {
        const chain = new CircleChain(11)
        for (let left = 8; left > 0; left--) chain.mine()
        const index = await openIndex(store, chain)
        await follow(index, chain, () => 3)
        const circles = [...store.records('circles')].map(({ record }) => record)
        expect(circles.length).toBeGreaterThan(3)
        for (const circle of circles) expect(store.circle(circle.txid)).toEqual(circle)
        const last = circles.at(-1)!
        while ((store.tip()?.height ?? -1) >= last.blockHeight) await store.disconnect()
        expect(store.circle(last.txid)).toBeNull()
      }),
    )
  })
}
