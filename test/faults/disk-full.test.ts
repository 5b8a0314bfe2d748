import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Bundle, bundleService } from '../support/bundle.ts'
import { ask, importAsk, makeAsk } from '../support/devnet-asks.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { runMarket, ServiceProcess } from '../support/service-process.ts'

const BUNDLED_WITHIN_MS = 60_000
const IMPORTS = 12

// A limit on the size of the files that a process may write fails each write beyond it, as a full
// disk does, and can be lifted while the process runs. setrlimit(2) of another process: Linux.
const LIMIT = 'prlimit'
const canLimit = (() => {
  try {
    execFileSync(LIMIT, ['--version'])
    return true
  } catch {
    return false
  }
})()

let bundle: Bundle
beforeAll(async () => {
  bundle = await bundleService()
}, BUNDLED_WITHIN_MS)
afterAll(() => bundle.drop())

const limitFiles = ({ pid }: ServiceProcess, bytes: number | 'unlimited') =>
  execFileSync(LIMIT, ['--pid', String(pid), `--fsize=${bytes}:unlimited`])

describe.skipIf(!canLimit)('the disk is full', () => {
  test('nothing is taken and nothing half-visible; reads go on; with space all goes on', {
    timeout: 120_000,
  }, async () => {
    const { path, drop } = temporaryDirectory()
    const variables = { DATA_DIR: path, PORT: '0', METRICS_PORT: '0', RATE_LIMIT_IMPORT: '1000' }
    await using service = new ServiceProcess(bundle, ['start'], variables)
    const address = await service.ready()
    const kept = await importAsk(address, 'before')
    const asks = await Promise.all(
      Array.from({ length: IMPORTS }, (_, n) => makeAsk(address, `seller ${n}`)),
    )

    // Full in the middle of a load: the file may grow no more.
    limitFiles(service, statSync(join(path, 'store', 'market.mdb')).size)
    const answers = await Promise.all(asks.map((psbt) => ask(address, 'orders/import', { psbt })))
    const taken = answers.filter(({ status }) => status === 201).map(({ body }) => body.id)
    for (const { status, body } of answers) {
      expect([201, 503, 504], JSON.stringify(body)).toContain(status)
    }

    // Full to the last byte: no write at all.
    limitFiles(service, 0)
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
    expect((await ask(address, '/readyz')).status).toBe(503)
    for (const id of [kept.id, ...taken]) {
      expect((await ask(address, `orders/${id}`)).status).toBe(200)
    }
    const page = await ask(address, 'orders?limit=200')
    expect(page.body.orders.map(({ id }: { id: string }) => id)).toContain(kept.id)

    limitFiles(service, 'unlimited')
    await vi.waitFor(async () => {
      expect((await ask(address, 'health')).body.listingReadiness.storageWritable).toBe(true)
    }, 15_000)
    for (const psbt of asks) {
      const { status, body } = await ask(address, 'orders/import', { psbt })
      expect([status, body.state], JSON.stringify(body)).toEqual([201, 'LIVE'])
    }
    expect((await service.end()).code).toBe(0)
    const { code, stdout } = await runMarket(bundle, ['audit'], variables)
    expect([code, stdout]).toEqual([0, expect.stringMatching(/\nclean: every invariant holds\n$/)])
    drop()
  })
})
