import { expect, test } from 'vitest'
import { LmdbStore } from '../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { EmbeddedLog } from '../../src/adapters/embedded/log/log.ts'
import { EmbeddedViews } from '../../src/adapters/embedded/views/views.ts'
import { sealChange } from '../../src/domain/order/change-chain.ts'
import { ChainBreakError } from '../../src/ports/log/chain-break.ts'
import type { StoredRows } from '../../src/ports/views/history.ts'
import { projectHistory } from '../../src/projections/project-history.ts'
import { projectViews } from '../../src/projections/project-views.ts'
import type { ProjectionFailure } from '../../src/projections/retry.ts'
import { type ChangeRecord, TOPICS } from '../../src/schemas/log.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { bookOf, dice } from '../support/orders/order-book.ts'
import { lifeOf, mutated } from '../support/orders/order-changes.ts'
import { systemClock as clock } from '../support/system-clock.ts'

type Life = readonly [ChangeRecord, ChangeRecord, ChangeRecord]

const someLife = (seed: number): Life => {
  const [order] = bookOf(1, seed)
  const versions = [order!, mutated(dice(seed), order!), mutated(dice(seed + 1), order!)]
  return lifeOf(versions).changes as unknown as Life
}

const resealed = ({ hash: _, ...change }: ChangeRecord): ChangeRecord => sealChange(change)

const whileBroken = someLife(41)
const whole = someLife(51)

/** What is wrong, the changes as the log has them, and what the break is said to be. */
const ATTACKS: [what: string, (life: Life) => ChangeRecord[], why: string, sound: number][] = [
  [
    'a change was edited',
    ([a, b, c]) => [a, { ...b, reason: 'verified by me' }, c],
    'has a hash that does not match its content',
    1,
  ],
  [
    'a change was edited and sealed again',
    ([a, b, c]) => [a, resealed({ ...b, reason: 'verified by me' }), c],
    'does not name the hash of the change before it',
    2,
  ],
  ['a change was removed', ([a, , c]) => [a, c], 'comes after change 1', 1],
  [
    'a change was put in before the worker’s own',
    ([a, b, c]) => [a, b, resealed({ ...c, reason: 'mine' }), c],
    'is another one than was read before',
    3,
  ],
  [
    'an order begins by naming a change that is not there',
    ([a, b, c]) => [resealed({ ...a, prevHash: b.hash }), b, c],
    'does not name the hash of the change before it',
    0,
  ],
]

interface World {
  log: EmbeddedLog
  views: EmbeddedViews
  failures: ProjectionFailure[]
}

async function inWorld(changes: readonly ChangeRecord[], run: (world: World) => Promise<void>) {
  const { path, drop } = temporaryDirectory()
  const store = await LmdbStore.open(path)
  const log = await EmbeddedLog.open({ store, partitions: 2, clock })
  const views = await EmbeddedViews.open({ store, network: 'regtest', clock })
  const append = (partition: number, values: readonly ChangeRecord[]) =>
    log.append(values.map((value) => ({ topic: TOPICS.lifecycle, partition, key: 'k', value })))
  await append(0, changes)
  await append(1, whole)
  try {
    await run({ log, views, failures: [] })
  } finally {
    await store.close()
    drop()
  }
}

async function during(
  work: (onFailure: (failure: ProjectionFailure) => void, signal: AbortSignal) => Promise<void>,
  failures: ProjectionFailure[],
  holds: () => Promise<boolean>,
) {
  const stop = new AbortController()
  const running = work((failure) => failures.push(failure), stop.signal)
  while (!(await holds())) await clock.sleep(2)
  stop.abort()
  await running
}

const isBroken = ({ error }: ProjectionFailure) => error instanceof ChainBreakError

test.each(ATTACKS)('views stay where they are if %s', async (_, attack, why, sound) => {
  await inWorld(attack(whileBroken), async ({ log, views, failures }) => {
    await during(
      (onFailure, signal) => projectViews({ log, views, clock, onFailure }, signal),
      failures,
      async () => failures.filter(isBroken).length > 1 && (await views.position(1)) === 3,
    )
    expect(String(failures.find(isBroken)?.error)).toContain(why)
    const shown = await views.order(whileBroken[0].orderId)
    expect(shown?.order.hash ?? null).not.toBe(attack(whileBroken)[sound]?.hash)
    expect((await views.order(whole[0].orderId))?.order.hash).toBe(whole[2].hash)
  })
})

/** What views skip, since they have a later change, and what cannot be read. */
const OF_HISTORY: typeof ATTACKS = [
  ...ATTACKS,
  [
    'a change comes again as another, after those that follow it',
    ([a, b, c]) => [a, b, c, resealed({ ...b, reason: 'mine' })],
    'comes after change 3',
    3,
  ],
  ['a record is no change', ([a, b]) => [a, {} as ChangeRecord, b], 'invalid', 1],
  [
    'a record is of a newer form',
    ([a, b]) => [a, { ...b, schema: 99 } as unknown as ChangeRecord],
    'NewerRecordError',
    1,
  ],
]

test.each(OF_HISTORY)('the history takes what precedes it if %s', async (_, attack, why, sound) => {
  const rows: StoredRows[] = []
  const history = {
    record: async (some: readonly StoredRows[]) => void rows.push(...some),
    resumeAt: async () => 0,
    verifyStored: async () => {},
  }
  await inWorld(attack(whileBroken), async ({ log, failures }) => {
    await during(
      (onFailure, signal) => projectHistory({ log, history, clock, onFailure }, signal),
      failures,
      async () => failures.length > 0 && rows.length >= sound + 3,
    )
    expect(String(failures[0]?.error)).toContain(why)
    const of = (partition: number) => rows.filter((row) => row.partition === partition)
    expect(of(0)).toHaveLength(sound)
    expect(of(1).map(({ change }) => change)).toEqual(whole)
  })
})

test('the history takes changes that were sent twice, as they were, for one', async () => {
  const rows: StoredRows[] = []
  const history = {
    record: async (some: readonly StoredRows[]) => void rows.push(...some),
    resumeAt: async () => 0,
    verifyStored: async () => {},
  }
  const [a, b, c] = whileBroken
  await inWorld([a, b, c, b, c], async ({ log, failures }) => {
    await during(
      (onFailure, signal) => projectHistory({ log, history, clock, onFailure }, signal),
      failures,
      async () => rows.length >= 8,
    )
    expect(failures).toEqual([])
    const known = new Set(rows.map(({ change }) => `${change.orderId} ${change.hash}`))
    expect(known.size).toBe(6)
  })
})
