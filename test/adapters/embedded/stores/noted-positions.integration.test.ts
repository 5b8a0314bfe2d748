import { expect, test } from 'vitest'
import type { SqlEngine } from '../../../../src/adapters/clickhouse/engine/sql-engine.ts'
import { SqlHistory } from '../../../../src/adapters/clickhouse/history.ts'
import { connectChdb } from '../../../../src/adapters/embedded/stores/history.ts'
import { HistoryUnavailableError } from '../../../../src/ports/views/history.ts'
import { temporaryDirectory } from '../../../support/embedded.ts'
import { bookOf } from '../../../support/orders/order-book.ts'
import { lifeOf } from '../../../support/orders/order-changes.ts'

/** The check that records a position, and as many as a position must survive. */
const CHECKS = 7

const changes = bookOf(8, 12).flatMap((order) => lifeOf([order]).changes)
const stored = changes.map((change, index) => ({ partition: index % 2, offset: index, change }))

interface Opening {
  history: SqlHistory
  /** Its queries to the engine, except the steps of the schema. */
  asked: string[]
}

async function withHistories(
  run: (open: (access?: 'read') => Opening, engine: SqlEngine) => Promise<void>,
): Promise<void> {
  const { path, drop } = temporaryDirectory()
  const engine = await connectChdb(path)
  const open = (access?: 'read'): Opening => {
    const asked: string[] = []
    const connect = async (): Promise<SqlEngine> => ({
      ...engine,
      select: (sql, params, withinMs) => {
        if (!sql.includes('schema_migrations') && !sql.includes('system.tables')) asked.push(sql)
        return engine.select(sql, params, withinMs)
      },
      close: async () => {},
    })
    return { history: new SqlHistory({ connect, ...(access && { access }) }), asked }
  }
  try {
    await run(open, engine)
  } finally {
    await engine.close()
    drop()
  }
}

const resumed = ({ history }: Opening) => Promise.all([history.resumeAt(0), history.resumeAt(1)])
const positions = async ({ history }: Opening) => [
  await history.position(0),
  await history.position(1),
]

/** As the projector does while it runs. */
async function check({ history }: Opening, times = CHECKS): Promise<void> {
  for (let done = 0; done < times; done += 1) await history.verifyStored()
}

const lose = (engine: SqlEngine, where: string) =>
  engine.run(`ALTER TABLE order_transition_rows DELETE WHERE ${where} SETTINGS mutations_sync = 2`)

const readsRows = (sql: string): boolean => sql.includes('order_transition_rows')
/** A look-up of two keys. */
const isLookUp = (sql: string): boolean => sql.includes('WHERE (order_id, seq) IN')

test('a start finds its position by the recorded one, and reads only two rows of the history', () =>
  withHistories(async (open) => {
    const first = open()
    expect(await resumed(first)).toEqual([0, 0])
    await first.history.record(stored.slice(0, 6))
    await check(first)

    const next = open()
    expect(await resumed(next)).toEqual([5, 6])
    expect(next.asked.filter(readsRows).every(isLookUp)).toBe(true)
    expect(next.asked).toHaveLength(2)
    await next.history.record(stored.slice(5))
    await next.history.record(stored.slice(6))
    await check(next)

    const last = open()
    expect(await resumed(last)).toEqual([7, 8])
    expect(last.asked.filter(readsRows).every(isLookUp)).toBe(true)
  }))

test('what was written since the last recorded position is written again, and a reader sees all of it', () =>
  withHistories(async (open) => {
    const first = open()
    await resumed(first)
    await first.history.record(stored.slice(0, 4))
    await check(first, CHECKS - 1)
    await first.history.record(stored.slice(4))
    expect(await positions(open('read'))).toEqual([7, 8])
    // The recorded position is that of the first of the checks.
    await check(first, 1)
    expect(await resumed(open())).toEqual([3, 4])
    expect(await positions(open())).toEqual([7, 8])
    expect(await positions(open('read'))).toEqual([7, 8])
  }))

test('a history without recorded positions is read once, and its position recorded though nothing is written', () =>
  withHistories(async (open) => {
    await open().history.record(stored)
    const first = open()
    expect(await resumed(first)).toEqual([7, 8])
    expect(first.asked.filter(readsRows).every(isLookUp)).toBe(false)
    await check(first)
    const next = open()
    expect(await resumed(next)).toEqual([7, 8])
    expect(next.asked.filter(readsRows).every(isLookUp)).toBe(true)
  }))

test('a recorded position whose row is gone is ignored', () =>
  withHistories(async (open, engine) => {
    const first = open()
    await resumed(first)
    await first.history.record(stored)
    await check(first)
    await lose(engine, 'log_offset IN (3, 7)')
    expect(await resumed(open())).toEqual([7, 6])
  }))

test('once rows are found lost, a start reads the history until new positions are recorded', () =>
  withHistories(async (open, engine) => {
    const first = open()
    await resumed(first)
    await first.history.record(stored)
    await check(first)
    const next = open()
    await resumed(next)
    await next.history.record(stored.slice(6))
    await lose(engine, 'log_offset IN (4, 7)')
    await expect(next.history.verifyStored()).rejects.toThrow(HistoryUnavailableError)
    await resumed(next)
    await next.history.record(stored.slice(7))

    // Killed before it had written everything again: the recorded row is back, another is not.
    const later = open()
    expect(await resumed(later)).toEqual([7, 8])
    expect(later.asked.filter(readsRows).every(isLookUp)).toBe(false)
  }))
