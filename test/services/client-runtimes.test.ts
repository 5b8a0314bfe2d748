import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import { chromium } from 'playwright-core'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accountOf } from '../../src/devnet/people/wallet.ts'
import { type PackedClient, packClient } from '../support/clients/packed-client.ts'
import type { Tried } from '../support/clients/try-client.ts'
import { type Market, openMarket } from '../support/market/market.ts'
import { devnetOf, listInscription } from '../support/market/trader.ts'
import { runtimePath } from '../support/services/programs.ts'

const TRY_CLIENT = 'test/support/clients/try-client.ts'
const seller = accountOf('seller', 'p2wpkh')

interface Page {
  origin: string
  close(): void
}

/** An empty page, of an origin of its own. */
async function openPage(): Promise<Page> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>t</title>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { origin: `http://127.0.0.1:${port}`, close: () => server.close() }
}

let page: Page
let strange: Page
let market: Market
let packed: PackedClient
beforeAll(async () => {
  page = await openPage()
  strange = await openPage()
  market = await openMarket({ ALLOWED_ORIGINS: page.origin })
  await listInscription(market)
  packed = await packClient()
})
afterAll(async () => {
  packed.drop()
  await market.end()
  page.close()
  strange.close()
})

/** A signed ask for an inscription that is not on offer yet. */
function ask(): string {
  const content = { contentType: 'text/plain', body: Buffer.from('new'), postage: 10_000n }
  const { outpoint } = devnetOf(market).inscribe(seller.address, content)
  const { scriptHex } = seller
  return seller.ask({ outpoint, scriptHex, valueSats: '10000' }, { scriptHex, valueSats: '70000' })
}

function expectTried(tried: Tried, known: number): void {
  expect(tried.listed).toHaveLength(known)
  expect(tried).toMatchObject({
    snapshot: known,
    streamed: tried.imported,
    error: 'NotFoundError ORDER_NOT_FOUND',
    missing: 36,
  })
}

const orderCount = async (): Promise<number> => {
  const { body }: { body: { total: number } } = await market.get('orders')
  return body.total
}

test('the package holds what is built, its types, its README and its licence, and no more', () => {
  const { files } = packed
  const built = files.filter((file) => !file.startsWith('dist/'))
  expect(built).toEqual(['LICENSE', 'README.md', 'package.json'])
  expect(files).toContain('dist/index.js')
  expect(files).toContain('dist/webhooks.js')
  const scripts = files.filter((file) => file.endsWith('.js'))
  const types = files.filter((file) => file.endsWith('.d.ts'))
  expect(types.map((file) => file.replace('.d.ts', '.js'))).toEqual(scripts)
  expect(scripts.length + types.length + built.length).toBe(files.length)
})

test('its types are enough for a strict program, with no others installed', () => {
  const { options, file } = packed.consumer(`
    import { createMarketClient, type OrderSummary } from 'psbt-market-client'
    import { verifyWebhook } from 'psbt-market-client/webhooks'
    const market = createMarketClient({ baseUrl: 'https://market.example' })
    for await (const order of market.orders({ state: 'LIVE', limit: 10 })) {
      const known: OrderSummary = order
      // @ts-expect-error an id is text
      const id: number = known.id
    }
    // @ts-expect-error no such state
    market.orders({ state: 'NONE' })
    verifyWebhook({ headers: new Headers(), body: '' }, 'whsec_').change?.orderId.length
  `)
  const problems = ts.getPreEmitDiagnostics(ts.createProgram([file], options))
  expect(problems.map(({ messageText }) => messageText)).toEqual([])
})

describe('the package lists, follows, imports and fails as it should', () => {
  const inNode = async (node: string): Promise<{ version: string; tried: Tried }> => {
    const program = await packed.programOf(TRY_CLIENT)
    const script = `import { tryClient } from ${JSON.stringify(program)}
      const tried = await tryClient(...process.argv.slice(1))
      console.log(JSON.stringify({ version: process.version, tried }))`
    const args = ['--input-type=module', '--eval', script, market.address, ask()]
    const { stdout } = await promisify(execFile)(node, args, { cwd: path.dirname(program) })
    return JSON.parse(stdout)
  }

  test.each([
    ['20', () => runtimePath('NODE_20')],
    ['22', () => runtimePath('NODE_22')],
    ['24', () => runtimePath('NODE_24')],
  ])('in Node %s', async (version, node) => {
    const known = await orderCount()
    const ran = await inNode(node())
    expect(ran.version).toMatch(new RegExp(`^v${version}\\.`))
    expectTried(ran.tried, known)
  })

  test('in Chromium, on a page of an allowed origin, and on no other', async () => {
    const script = await packed.scriptOf(TRY_CLIENT)
    const browser = await chromium.launch({
      executablePath: runtimePath('CHROMIUM'),
      // As root there is no sandbox; and nothing is fetched but what the test fetches.
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    })
    try {
      const tab = await browser.newPage()
      const tryOn = async ({ origin }: Page): Promise<Tried> => {
        await tab.goto(origin)
        await tab.addScriptTag({ content: script })
        const call = `client.tryClient(${JSON.stringify(market.address)}, ${JSON.stringify(ask())})`
        return (await tab.evaluate(call)) as Tried
      }
      const known = await orderCount()
      expectTried(await tryOn(page), known)
      await expect(tryOn(strange)).rejects.toThrow('NetworkError')
    } finally {
      await browser.close()
    }
  })
})
