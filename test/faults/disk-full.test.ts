import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { KEPT_FREE_BYTES } from '../../src/adapters/free-space.ts'
import { type Bundle, bundleService } from '../support/bundle.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { canMount, SmallDisk } from '../support/faults/small-disk.ts'
import { type ApiAnswer, ask, importAsk, makeAsk } from '../support/orders/devnet-asks.ts'
import { runMarket, ServiceProcess } from '../support/services/service-process.ts'

const BUNDLED_WITHIN_MS = 60_000
const IMPORTS = 12
const DISK = '192m'

// A limit on the size of the files that a process may write fails each write beyond it, and can be
// set while the process runs. setrlimit(2) of another process: Linux.
const LIMIT = 'prlimit'
const canLimit = (() => {
  try {
    execFileSync(LIMIT, ['--version'])
    return true
  } catch {
    return false
  }
})()

/** False: the process has ended. */
function limitFiles({ pid }: ServiceProcess, bytes: number): boolean {
  try {
    execFileSync(LIMIT, ['--pid', String(pid), `--fsize=${bytes}:unlimited`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

let bundle: Bundle
beforeAll(async () => {
  bundle = await bundleService()
}, BUNDLED_WITHIN_MS)
afterAll(() => bundle.drop())

const variablesFor = (path: string) => ({
  DATA_DIR: path,
  PORT: '0',
  METRICS_PORT: '0',
  RATE_LIMIT_IMPORT: '1000',
  RATE_LIMIT_READ: '100000',
})

const makeAsks = (address: string) =>
  Promise.all(Array.from({ length: IMPORTS }, (_, n) => makeAsk(address, `seller ${n}`)))

const takenOf = (answers: readonly ApiAnswer[]): string[] =>
  answers.filter(({ status }) => status === 201).map(({ body }) => body.id)

async function importAll(address: string, asks: readonly string[]) {
  for (const psbt of asks) {
    const { status, body } = await ask(address, 'orders/import', { psbt })
    expect([status, body.state], JSON.stringify(body)).toEqual([201, 'LIVE'])
  }
}

async function expectClean(path: string) {
  const { code, stdout } = await runMarket(bundle, ['audit'], variablesFor(path))
  expect([code, stdout]).toEqual([0, expect.stringMatching(/\nclean: every invariant holds\n$/)])
}

describe.skipIf(!canMount)('the disk is full', () => {
  test('nothing is accepted and nothing half-visible; reads continue; with space everything continues', {
    timeout: 120_000,
  }, async () => {
    using disk = new SmallDisk(DISK)
    await using service = new ServiceProcess(bundle, ['start'], variablesFor(disk.path))
    const address = await service.ready()
    const kept = await importAsk(address, 'before')
    const asks = await makeAsks(address)

    // Full in the middle of a load.
    const asked = asks.map((psbt) => ask(address, 'orders/import', { psbt }))
    disk.leaveFree(KEPT_FREE_BYTES - 1)
    const answers = await Promise.all(asked)
    for (const { status, body } of answers) {
      expect([201, 503, 504], JSON.stringify(body)).toContain(status)
    }

    // Full to the last byte.
    disk.leaveFree(0)
    await vi.waitFor(async () => {
      const { body } = await ask(address, 'health')
      expect(body.listingReadiness).toMatchObject({
        ready: false,
        reason: 'storage_unavailable',
        storageWritable: false,
      })
    }, 10_000)
    const refused = await ask(address, 'orders/import', { psbt: asks[0] ?? '' })
    expect([refused.status, refused.body.code]).toEqual([503, 'STORAGE_UNAVAILABLE'])
    expect(refused.headers.get('retry-after')).not.toBeNull()
    expect((await ask(address, '/livez')).status).toBe(200)
    // It answers reads, so it stays in traffic.
    const ready = await ask(address, '/readyz')
    expect([ready.status, ready.body.degraded]).toEqual([
      200,
      expect.arrayContaining(['storage_read_only']),
    ])
    for (const id of [kept.id, ...takenOf(answers)]) {
      expect((await ask(address, `orders/${id}`)).status).toBe(200)
    }
    const page = await ask(address, 'orders?limit=200')
    expect(page.body.orders.map(({ id }: { id: string }) => id)).toContain(kept.id)

    disk.empty()
    await vi.waitFor(async () => {
      expect((await ask(address, 'health')).body.listingReadiness.storageWritable).toBe(true)
    }, 15_000)
    await importAll(address, asks)
    expect((await service.end()).code).toBe(0)
    await expectClean(disk.path)
  })

  test('a start serves reads while there is room for its name, and says what is missing', {
    timeout: 120_000,
  }, async () => {
    using disk = new SmallDisk(DISK)
    const variables = variablesFor(disk.path)
    await using first = new ServiceProcess(bundle, ['start'], variables)
    const firstAddress = await first.ready()
    const kept = await importAsk(firstAddress, 'before')
    const psbt = await makeAsk(firstAddress, 'later')
    disk.leaveFree(0)
    expect((await first.end()).code).toBe(0)

    const refused = await runMarket(bundle, ['start'], variables)
    expect([refused.code, refused.stderr]).toEqual([
      1,
      `market: the disk of ${disk.path}/store has only 0.0 MiB left: nothing is written below 1 MiB\n`,
    ])

    disk.leaveFree(8 * 2 ** 20)
    await using second = new ServiceProcess(bundle, ['start'], variables)
    const address = await second.ready()
    expect((await ask(address, `orders/${kept.id}`)).status).toBe(200)
    const answer = await ask(address, 'orders/import', { psbt })
    expect([answer.status, answer.body.code]).toEqual([503, 'STORAGE_UNAVAILABLE'])
    expect((await second.end()).code).toBe(0)
    disk.empty()
    await expectClean(disk.path)
  })
})

describe.skipIf(!canLimit)('a write of the store fails', () => {
  test('the process exits, and the next one has all that was acknowledged', {
    timeout: 120_000,
  }, async () => {
    const { path, drop } = temporaryDirectory()
    await using service = new ServiceProcess(bundle, ['start'], variablesFor(path))
    const address = await service.ready()
    const kept = await importAsk(address, 'before')
    const asks = await makeAsks(address)
    expect(limitFiles(service, statSync(join(path, 'store', 'market.mdb')).size)).toBe(true)
    const answers = await Promise.allSettled(
      asks.map((psbt) => ask(address, 'orders/import', { psbt })),
    )
    // Writes that fit are done: the next one does not.
    limitFiles(service, 0)
    // Code 1, or the signal of an allocator that found corrupted memory (ADR 35).
    const { code, stdout } = await service.ended()
    expect([1, null]).toContain(code)
    expect(code === null || stdout.includes(`${path}/store could not be written`)).toBe(true)

    await using next = new ServiceProcess(bundle, ['start'], variablesFor(path))
    const nextAddress = await next.ready()
    const taken = takenOf(answers.flatMap((one) => (one.status === 'fulfilled' ? one.value : [])))
    for (const id of [kept.id, ...taken]) {
      expect((await ask(nextAddress, `orders/${id}`)).status).toBe(200)
    }
    await importAll(nextAddress, asks)
    expect((await next.end()).code).toBe(0)
    await expectClean(path)
    drop()
  })
})
