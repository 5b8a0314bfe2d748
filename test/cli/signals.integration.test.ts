import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accountOf } from '../../src/devnet/people/wallet.ts'
import { type Bundle, bundleService } from '../support/bundle.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { toTxid } from '../support/ids.ts'
import { ServiceProcess, silentServer } from '../support/services/service-process.ts'

/** A drain takes 10 s at most; the rest is what a busy machine adds. */
const WITHIN_MS = 20_000

const BUNDLED_WITHIN_MS = 60_000

let bundle: Bundle
beforeAll(async () => {
  bundle = await bundleService()
}, BUNDLED_WITHIN_MS)
afterAll(() => bundle.drop())

/** The service asks a node that never answers. */
const withSilentNode = (dataDir: string, node: { url: string }) =>
  new ServiceProcess(bundle, ['start'], {
    DATA_DIR: dataDir,
    PORT: '0',
    METRICS_PORT: '0',
    BITCOIN_RPC_URL: node.url,
    BITCOIN_RPC_USER: 'market',
    BITCOIN_RPC_PASSWORD: 'secret-of-the-node',
  })

const errorsOf = (service: ServiceProcess) =>
  service.log().filter(({ level }) => level === 'error' || level === 'fatal')

describe.concurrent('a signal ends the service in order', { timeout: 120_000 }, () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s at rest: code 0, at once, no errors',
    async (signal) => {
      const { path, drop } = temporaryDirectory()
      await using service = new ServiceProcess(bundle, ['start'], {
        DATA_DIR: path,
        PORT: '0',
        METRICS_PORT: '0',
      })
      await service.ready()
      const { code, ms } = await service.end(signal)
      expect(code).toBe(0)
      expect(ms).toBeLessThan(WITHIN_MS)
      expect(errorsOf(service)).toEqual([])
      expect(service.stderr).toBe('')
      expect(
        service
          .log()
          .slice(-2)
          .map(({ msg }) => msg),
      ).toEqual(['stopping', 'stopped'])
      drop()
    },
  )

  test('SIGTERM with requests that wait for a silent node: each is answered, code 0 after the drain', async () => {
    const { path, drop } = temporaryDirectory()
    const node = await silentServer()
    await using service = withSilentNode(path, node)
    const address = await service.ready()
    const imports = [1, 2, 3].map((n) => importAsk(address, n))
    const { hostname, port } = new URL(address)
    // A client that never finishes its request must not hold up the others.
    const dawdler = connect(Number(port), hostname)
    dawdler.write('POST /api/market/orders/import HTTP/1.1\r\nhost: market\r\n')
    dawdler.on('error', () => {})
    await delay(1_000)
    const { code, ms } = await service.end()
    expect(code).toBe(0)
    expect(ms).toBeLessThan(WITHIN_MS)
    const answers = await Promise.all(imports)
    // On a busy machine the node client's own timeouts may come first: the order then waits for it.
    for (const { status, body } of answers) {
      expect([status, body]).toMatchObject(
        status === 201 ? [201, { state: 'PENDING_NODE' }] : [504, { code: 'STILL_BEING_VERIFIED' }],
      )
    }
    // The node is silent, and the service says so once.
    const { length } = errorsOf(service).filter(({ msg }) => msg !== 'a part is away')
    expect(length).toBe(0)
    node.close()
    drop()
  })

  test('a second signal while a request is answered: at once, and the log says why', async () => {
    const { path, drop } = temporaryDirectory()
    const node = await silentServer()
    await using service = withSilentNode(path, node)
    const answer = importAsk(await service.ready(), 1).catch(() => 'cut')
    await delay(500)
    service.signal('SIGTERM')
    await service.saying(/"msg":"stopping"/)
    expect(await service.end('SIGTERM')).toMatchObject({ code: null, signal: 'SIGKILL' })
    expect(service.log().at(-1)).toMatchObject({
      level: 'fatal',
      msg: 'a second SIGTERM: ending at once',
    })
    expect(await answer).toBe('cut')
    node.close()
    drop()
  })
})

async function importAsk(address: string, n: number) {
  const seller = accountOf(`seller ${n}`, 'p2tr')
  const outpoint = { txid: toTxid(n.toString(16).padStart(64, '0')), vout: 0 }
  const psbt = seller.ask(
    { outpoint, scriptHex: seller.scriptHex, valueSats: '10000' },
    { scriptHex: seller.scriptHex, valueSats: '50000' },
  )
  for (;;) {
    const answer = await fetch(`${address}/api/market/orders/import`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ psbt }),
    })
    const body = (await answer.json()) as { code?: string }
    // A process that has just started sheds early requests on a busy machine.
    if (body.code !== 'OVERLOADED') return { status: answer.status, body }
    await delay(50)
  }
}
