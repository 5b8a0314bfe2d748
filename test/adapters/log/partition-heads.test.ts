import { expect, test } from 'vitest'
import { LmdbStore } from '../../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { EmbeddedLog } from '../../../src/adapters/embedded/log/log.ts'
import { HeadsCheck } from '../../../src/domain/heads/check-heads.ts'
import { type HeadSigner, openHeadSigner } from '../../../src/domain/heads/sign-head.ts'
import type { Clock } from '../../../src/runtime/clock.ts'
import { TOPICS } from '../../../src/schemas/log.ts'
import { SignedHead } from '../../../src/schemas/log-head.ts'
import { temporaryDirectory } from '../../support/embedded.ts'
import { openToyWorker } from '../../support/log/toy-worker.ts'
import { systemClock } from '../../support/system-clock.ts'

const signer = openHeadSigner(Buffer.from('11'.repeat(32), 'hex'), 'regtest') ?? expect.fail()
const other = openHeadSigner(Buffer.from('22'.repeat(32), 'hex'), 'regtest') ?? expect.fail()

interface World {
  /** Processes so many commands in one run of a service, of which each is a commit. */
  run(commands: number, options?: { heads?: HeadSigner; apartMs?: number }): Promise<void>
  heads(): Promise<SignedHead[]>
  check(): Promise<HeadsCheck>
  log(): Promise<EmbeddedLog>
}

async function inWorld(test: (world: World) => Promise<void>): Promise<void> {
  const { path, drop } = temporaryDirectory()
  const store = await LmdbStore.open(path)
  let ahead = 0
  const clock: Clock = {
    ...systemClock,
    now: () => systemClock.now() + ahead,
    monotonic: () => systemClock.monotonic() + ahead,
  }
  const opened = (heads?: HeadSigner) =>
    EmbeddedLog.open({ store, partitions: 1, clock, ...(heads ? { heads } : {}) })
  const stored = async (topic: 'heads' | 'lifecycle') => {
    const records: { offset: number; value: unknown }[] = []
    for await (const batch of (await opened()).stored(TOPICS[topic], 0, 0)) records.push(...batch)
    return records
  }
  const heads = async () => (await stored('heads')).map(({ value }) => SignedHead.parse(value))
  try {
    await test({
      run: async (commands, { heads: by, apartMs = 0 } = {}) => {
        const log = await opened(by)
        const stop = new AbortController()
        const running = log.processInbox(openToyWorker, stop.signal)
        for (let n = 0; n < commands; n += 1) {
          await log.append([
            { topic: TOPICS.inbox, partition: 0, key: 'k', value: { order: n % 3 } },
          ])
          while ((await log.consumed(0)) < (await log.end(TOPICS.inbox, 0))) await clock.sleep(1)
          ahead += apartMs
        }
        stop.abort()
        await running
      },
      heads,
      check: async () => {
        const check = new HeadsCheck(await heads(), {
          ...{ network: 'regtest', partition: 0, keys: [signer.publicKey] },
        })
        for (const { offset, value } of await stored('lifecycle')) check.take(offset, value)
        check.end()
        return check
      },
      log: opened,
    })
  } finally {
    await store.close()
    drop()
  }
}

test('a head is signed at the first commit, then each minute in which there is anything new', () =>
  inWorld(async ({ run, heads, check }) => {
    await run(5, { heads: signer })
    expect((await heads()).map(({ count, offset }) => [count, offset])).toEqual([[1, 1]])
    await run(6, { heads: signer, apartMs: 31_000 })
    // The first of the process, and each second one after it; of one hour the last is kept.
    expect((await heads()).at(-1)).toMatchObject({ from: 0, count: 10, offset: 10 })
    expect((await check()).problems).toEqual([])
  }))

test('of each hour the last head is kept', () =>
  inWorld(async ({ run, heads }) => {
    await run(8, { heads: signer, apartMs: 1_800_000 })
    expect((await heads()).length).toBeGreaterThanOrEqual(4)
    expect((await heads()).length).toBeLessThanOrEqual(5)
    expect((await heads()).at(-1)?.count).toBe(8)
  }))

test('a restart, and a release or a role without the key, are no break', () =>
  inWorld(async ({ run, heads, check }) => {
    await run(2, { heads: signer })
    await run(4)
    expect((await heads()).at(-1)?.count).toBe(1)
    await run(1, { heads: signer })
    expect((await heads()).at(-1)).toMatchObject({ from: 0, count: 7 })
    expect((await check()).problems).toEqual([])
  }))

test('what is no record of the lifecycle does not stop the next owner', () =>
  inWorld(async ({ run, heads, check, log }) => {
    await run(1, { heads: signer })
    const value = { schema: 1, kind: 'mine' }
    await (await log()).append([{ topic: TOPICS.lifecycle, partition: 0, key: 'mine', value }])
    await run(1, { heads: signer })
    expect((await heads()).at(-1)?.count).toBe(3)
    expect((await check()).problems).toEqual([])
  }))

test('without a key nothing is signed; with one, the count begins where the log ends', () =>
  inWorld(async ({ run, heads, check }) => {
    await run(3)
    expect(await heads()).toEqual([])
    await run(2, { heads: signer })
    expect((await heads()).at(-1)).toMatchObject({ from: 3, count: 1, offset: 4 })
    expect((await check()).problems).toEqual([])
  }))

test('a head that something else wrote is not continued', () =>
  inWorld(async ({ run, heads, check, log }) => {
    await run(3, { heads: signer })
    const [head] = await heads()
    const { schema: _, kind: __, network: ___, publicKey: ____, signature: _____, ...told } = head!
    const forged = other.sign({ ...told, count: 2, offset: 3 })
    await (await log()).append([{ topic: TOPICS.heads, partition: 0, key: 'mine', value: forged }])
    await run(1, { heads: signer })
    expect((await heads()).at(-1)).toMatchObject({ from: 0, count: 4 })
    expect((await check()).problems).toEqual([expect.stringContaining('signed by no known key')])
  }))
