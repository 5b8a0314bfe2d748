import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { LmdbStore } from '../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { openIngestStore } from '../../src/adapters/embedded/log/ingest-store.ts'
import type { NewRecord } from '../../src/ports/log/event-log.ts'
import type { InboxRecord, Watermark } from '../../src/schemas/log.ts'
import { ingest } from '../../src/streams/ingest/ingest.ts'
import { ScriptedChain } from '../support/chain/scripted-chain.ts'
import { systemClock } from '../support/system-clock.ts'

/** Counts its input and stores only the watermarks; an append takes a while, as on a disk. */
class CountingLog {
  readonly partitions = 4
  readonly counts = new Map<string, number>()
  largest = 0
  last: Watermark | null = null

  async append(records: readonly NewRecord[]): Promise<void> {
    this.largest = Math.max(this.largest, records.length)
    for (const { value } of records) this.#count(value)
    await setTimeout(1)
  }

  #count(value: unknown): void {
    const record = value as InboxRecord
    if (record.kind === 'watermark') this.last = record
    const name = 'change' in record ? `${record.kind} ${record.change}` : record.kind
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
  }
}

async function underLoad(
  transactions: number,
  test: (parts: {
    chain: ScriptedChain
    log: CountingLog
    spends: ReturnType<ScriptedChain['spend']>[]
    settled(): Promise<void>
  }) => Promise<void>,
): Promise<void> {
  const chain = new ScriptedChain()
  chain.remembers = false
  const fan = chain.spend(chain.unspent().slice(0, 1), transactions)
  chain.mine([fan])
  const spends = Array.from({ length: transactions }, (_, i) => chain.spend([`${fan.txid}:${i}`]))
  const directory = mkdtempSync(join(tmpdir(), 'ingest-'))
  const database = await LmdbStore.open(directory)
  const log = new CountingLog()
  const stop = new AbortController()
  const parts = { node: chain, index: null, clock: systemClock, log }
  const running = ingest({ ...parts, store: openIngestStore(database) }, stop.signal)
  const settled = async () => {
    while (log.last?.tip.hash !== chain.tip.hash || log.last.mempoolSequence !== chain.sequence)
      await setTimeout(10)
  }
  try {
    await settled()
    await test({ chain, log, spends, settled })
  } finally {
    stop.abort()
    await running
    await database.close()
    rmSync(directory, { recursive: true })
  }
}

test('10,000 transactions in a second: every spend is recorded, memory stays bounded (fault 14)', () =>
  underLoad(10_000, async ({ chain, log, spends, settled }) => {
    const before = process.memoryUsage().rss
    for (const spend of spends) chain.enter(spend)
    await settled()
    expect(log.counts.get('spend seen')).toBe(10_000)
    expect(log.counts.get('output seen')).toBe(20_000)
    expect(log.largest).toBeLessThanOrEqual(500)
    expect((process.memoryUsage().rss - before) / 2 ** 20).toBeLessThan(200)
  }))

test('4 MB of transactions in one block are written in pieces: the event loop turns in between, its watermark comes after', () =>
  underLoad(35_000, async ({ chain, log, spends, settled }) => {
    const delay = monitorEventLoopDelay({ resolution: 1 })
    const { transactions } = chain.mine(spends)
    expect(transactions.reduce((sum, { hex }) => sum + hex.length / 2, 0)).toBeGreaterThan(
      3_900_000,
    )
    await setTimeout(0)
    delay.enable()
    const begun = performance.now()
    await settled()
    // In one piece they block the loop nearly all the time; in pieces, 50 ms of over two seconds,
    // and a collection of what earlier files left, up to a third of it on a busy machine.
    expect(delay.max / 1e6).toBeLessThan(((performance.now() - begun) * 2) / 3)
    expect(log.counts.get('spend confirmed')).toBe(35_000)
    expect(log.largest).toBeLessThanOrEqual(500)
  }))
