import { randomBytes } from 'node:crypto'
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Bundle, bundleService } from '../support/bundle.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { ask, importAsk } from '../support/orders/devnet-asks.ts'
import { runMarket, ServiceProcess } from '../support/services/service-process.ts'

const BUNDLED_WITHIN_MS = 60_000

let bundle: Bundle
let withoutChdb: Bundle
beforeAll(async () => {
  bundle = await bundleService()
  withoutChdb = bundle.without('chdb')
}, BUNDLED_WITHIN_MS)
afterAll(() => {
  bundle.drop()
  withoutChdb.drop()
})

const variablesOf = (dataDir: string) => ({ DATA_DIR: dataDir, PORT: '0', METRICS_PORT: '0' })

/** `/activity` says that it is unavailable; orders are imported, listed and read as ever. */
async function allElseWorks(address: string): Promise<string> {
  const activity = await ask(address, 'activity')
  expect([activity.status, activity.body.code]).toEqual([503, 'HISTORY_UNAVAILABLE'])
  expect(activity.headers.get('retry-after')).not.toBeNull()
  const { id, state } = await importAsk(address, 'a seller without history')
  expect(state).toBe('LIVE')
  expect((await ask(address, `orders/${id}`)).status).toBe(200)
  expect((await ask(address, '/readyz')).status).toBe(200)
  return id
}

/** Every change of every order is listed, from before and while the history was unavailable. */
async function isFilledAgain(address: string, orderId: string): Promise<void> {
  await vi.waitFor(
    async () => {
      const { body } = await ask(address, `activity?orderId=${orderId}`)
      expect(body.entries.map(({ toState }: { toState: string }) => toState)).toEqual([
        'LIVE',
        'PENDING_NODE',
      ])
    },
    { timeout: 15_000, interval: 100 },
  )
}

describe.concurrent('the history is unavailable', { timeout: 120_000 }, () => {
  test('chDB is not installed: everything else works, and the history is filled once it is', async () => {
    const { path, drop } = temporaryDirectory()
    await using service = new ServiceProcess(withoutChdb, ['start'], variablesOf(path))
    const address = await service.ready()
    expect(service.stdout).toMatch(
      /history {7}unavailable: chDB, an optional dependency, is not installed/,
    )
    const id = await allElseWorks(address)
    expect((await service.end()).code).toBe(0)

    const audit = await runMarket(withoutChdb, ['audit'], variablesOf(path))
    expect([audit.code, audit.stdout]).toEqual([0, expect.stringMatching(/skipped: I6\n$/)])

    await using later = new ServiceProcess(bundle, ['start'], variablesOf(path))
    await isFilledAgain(await later.ready(), id)
    expect((await later.end()).code).toBe(0)
    drop()
  })

  test('its folder is damaged: everything else works; removed, it is refilled from the log', async () => {
    const { path, drop } = temporaryDirectory()
    await using first = new ServiceProcess(bundle, ['start'], variablesOf(path))
    const before = await importAsk(await first.ready(), 'a seller before')
    await isFilledAgain(await first.ready(), before.id)
    expect((await first.end()).code).toBe(0)

    garble(join(path, 'history'))
    await using damaged = new ServiceProcess(bundle, ['start'], variablesOf(path))
    const address = await damaged.ready()
    expect(damaged.stdout).toMatch(/history {7}unavailable: /)
    const id = await allElseWorks(address)
    expect((await damaged.end()).code).toBe(0)

    rmSync(join(path, 'history'), { recursive: true })
    await using mended = new ServiceProcess(bundle, ['start'], variablesOf(path))
    await isFilledAgain(await mended.ready(), before.id)
    await isFilledAgain(await mended.ready(), id)
    expect((await mended.end()).code).toBe(0)
    const audit = await runMarket(bundle, ['audit'], variablesOf(path))
    expect([audit.code, audit.stdout]).toEqual([
      0,
      expect.stringMatching(/\nclean: every invariant holds\n$/),
    ])
    drop()
  })
})

/** Fills every file with noise. */
function garble(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    writeFileSync(file, randomBytes(statSync(file).size))
  }
}
