import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { accountOf } from '../../src/devnet/people/wallet.ts'
import { type Bundle, bundleService } from '../support/bundle.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { ask, importAsk } from '../support/orders/devnet-asks.ts'
import { runMarket, ServiceProcess } from '../support/services/service-process.ts'

const BUNDLED_WITHIN_MS = 60_000
const PAIRED_WITHIN_MS = 10_000
const PASSWORD = 'a-password-of-the-node'
const CURSOR_KEY = 'a-cursor-key-of-more-than-32-characters'

let bundle: Bundle
beforeAll(async () => {
  bundle = await bundleService()
}, BUNDLED_WITHIN_MS)
afterAll(() => bundle.drop())

const market = (args: readonly string[], variables: Record<string, string> = {}) =>
  runMarket(bundle, args, variables)

describe.concurrent('market without a service', { timeout: 60_000 }, () => {
  test('config prints every variable in force, a line each, and no secret', async () => {
    const { code, stdout } = await market(['config'], {
      BITCOIN_NETWORK: 'signet',
      PUBLIC_ORIGIN: 'https://market.example',
      BITCOIN_RPC_URL: 'http://127.0.0.1:38332',
      BITCOIN_RPC_USER: 'market',
      BITCOIN_RPC_PASSWORD: PASSWORD,
      CURSOR_KEY,
    })
    expect(code).toBe(0)
    const shown = new Map(
      stdout
        .split('\n')
        .slice(0, -1)
        .map((line) => line.split('=', 2) as [string, string]),
    )
    expect(shown.get('BITCOIN_NETWORK')).toBe('signet')
    expect(shown.get('PORT')).toBe('8080')
    expect(shown.get('DEVNET')).toBe('false')
    expect(shown.get('PUBLIC_ORIGIN')).toBe('https://market.example')
    expect(shown.get('ASSET_INDEX_URL')).toBe('(not set)')
    expect(shown.get('BITCOIN_RPC_PASSWORD')).toBe('(set, not shown)')
    expect(shown.get('CURSOR_KEY')).toBe('(set, not shown)')
    expect(stdout).not.toContain(PASSWORD)
    expect(stdout).not.toContain(CURSOR_KEY)
  })

  test('a wrong configuration stops the start with all problems at once, none with a secret', async () => {
    const { code, stdout, stderr } = await market(['start'], {
      PORT: '99999',
      LOG_LEVEL: 'loud',
      BITCOIN_NETWORK: 'mainnet',
      BITCOIN_RPC_URL: `http://market:${PASSWORD}@127.0.0.1:8332`,
      DATA_DIR_FILE: '/nowhere/data-dir',
      CURSOR_KEY: 'short',
    })
    expect([code, stdout]).toEqual([1, ''])
    for (const problem of [
      'PORT must be between 0 and 65535',
      'LOG_LEVEL must be one of silent, fatal, error, warn, info, debug, trace',
      'BITCOIN_RPC_URL must not contain a user or password',
      'CURSOR_KEY each key needs at least 32 characters',
      'PUBLIC_ORIGIN is required on mainnet: the public URL of this service',
      'PAIRING_START_HEIGHT is required on mainnet: set it to the first block to index, or PAIRING_ENABLED=false (market pairing plan --from HEIGHT estimates the cost)',
      'CIRCLES_START_HEIGHT is required on mainnet: set it to the first block to index, or CIRCLES_ENABLED=false (market circles plan --from HEIGHT estimates the cost)',
    ]) {
      expect(stderr).toContain(`\n  ${problem}\n`)
    }
    expect(stderr).toMatch(/\n {2}DATA_DIR_FILE cannot be read: ENOENT/)
    expect(stderr).not.toContain(PASSWORD)
    expect(stderr).not.toMatch(/^ +at /m)
  })

  test.each([
    [['frobnicate'], "error: unknown command 'frobnicate'"],
    [['tail', '--order', 'ab'], 'It must be 64 hex digits.'],
    [['tail', '--outpoint', `${'ab'.repeat(32)}:x`], 'a colon and an index'],
    [['tail', '--limit', '0'], 'It must be at least 1.'],
    [['devnet', 'mine'], 'market: cannot reach the service at http://127.0.0.1:1: start it first'],
    [['audit'], 'market: there is no store in /nowhere: set DATA_DIR'],
  ])('market %j says what is wrong and ends with 1', async (args, message) => {
    const { code, stderr } = await market(args, { PORT: '1', DATA_DIR: '/nowhere' })
    expect(code).toBe(1)
    expect(stderr).toContain(message)
    expect(stderr).not.toMatch(/^ +at /m)
  })
})

test('a devnet has its seed after a first start that failed, and says where one was cut', async () => {
  const { path, drop } = temporaryDirectory()
  mkdirSync(join(path, 'store'))
  const settings = { DATA_DIR: path, PORT: '0', METRICS_PORT: '0' }
  const mark = join(path, 'devnet.seed')
  writeFileSync(mark, 'awaited\n')
  const ordersOf = async (service: ServiceProcess) => {
    const address = await service.ready()
    // A busy machine is overloaded at times, and answers 503.
    const counted = async () => {
      const answer = await fetch(`${address}/api/market/orders`)
      return ((await answer.json()) as { orders?: unknown[] }).orders?.length
    }
    return await vi.waitUntil(counted, { timeout: 60_000 })
  }
  const service = new ServiceProcess(bundle, ['start'], settings)
  expect(await ordersOf(service)).toBeGreaterThan(3)
  expect(existsSync(mark)).toBe(false)
  await service.end()
  writeFileSync(mark, 'begun\n')
  await using again = new ServiceProcess(bundle, ['start'], settings)
  expect(await ordersOf(again)).toBeGreaterThan(3)
  expect(again.stdout).toContain('the first start of this devnet ended early')
  await again.end()
  drop()
}, 120_000)

test('a mistyped command is answered by the one that was meant', async () => {
  const { code, stderr } = await market(['sttaus'])
  expect([code, stderr.trimEnd().split('\n')]).toEqual([
    1,
    [
      "error: unknown command 'sttaus'",
      '(Did you mean status?)',
      'market --help lists the commands, market COMMAND --help its options',
    ],
  ])
})

describe('market with a running service', { timeout: 120_000 }, () => {
  test('a second one is refused and harms nothing; devnet plays; the audit is clean beside it', async () => {
    const { path, drop } = temporaryDirectory()
    await using service = new ServiceProcess(bundle, ['start'], {
      DATA_DIR: path,
      PORT: '0',
      METRICS_PORT: '0',
    })
    const address = await service.ready()
    const { port } = new URL(address)
    const here = { DATA_DIR: path, PORT: port }
    const inUse = `market: ${join(path, 'store')} is in use by process ${service.pid}: stop it, or choose another DATA_DIR\n`

    const second = await market(['start'], { ...here, PORT: '0', METRICS_PORT: '0' })
    const starting: unknown = expect.stringMatching(/^\{.*"msg":"starting"\}\n$/)
    expect(second).toEqual({ code: 1, stdout: starting, stderr: inUse })
    const audit = await market(['audit'], here)
    expect([audit.code, audit.stdout]).toEqual([
      0,
      expect.stringMatching(/\nclean: every invariant holds\n$/),
    ])
    const other = join(path, 'another')
    const samePort = await market(['start'], { DATA_DIR: other, PORT: port, METRICS_PORT: '0' })
    expect(samePort.code).toBe(1)
    expect(samePort.stderr).toBe(
      `market: 127.0.0.1 port ${port} is in use by another program: set PORT (METRICS_PORT for /metrics) to a free port\n`,
    )
    expect(readFileSync(join(other, 'devnet.seed'), 'utf8')).toBe('awaited\n')
    expect((await importAsk(address, 'after the others')).state).toBe('LIVE')

    await devnetPlays(here)
    expect((await service.end()).code).toBe(0)
    const after = await market(['audit'], here)
    expect([after.code, after.stdout]).toEqual([
      0,
      expect.stringMatching(/\nclean: every invariant holds\n$/),
    ])
    const partitions = await market(['audit'], { ...here, ORDER_PARTITIONS: '5' })
    expect([partitions.code, partitions.stderr]).toEqual([
      1,
      'market: the log was created with 16 partitions, but 5 are configured: set ORDER_PARTITIONS to 16, or start with an empty log\n',
    ])
    drop()
  })

  test('the banner says what runs on what, and its four commands work as printed', async () => {
    const { path, drop } = temporaryDirectory()
    await using service = new ServiceProcess(bundle, ['start'], {
      DATA_DIR: path,
      PORT: '0',
      METRICS_PORT: '0',
    })
    const address = await service.ready()
    for (const line of [
      /^ {2}network {7}regtest$/m,
      /^ {2}full node {5}built-in devnet, stored in \S+\/devnet$/m,
      /^ {2}event log {5}lmdb in \S+\/store, 16 partitions$/m,
      /^ {2}history {7}chDB in \S+\/history$/m,
    ]) {
      expect(service.stdout).toMatch(line)
    }
    const commands = [...service.stdout.matchAll(/^ {2}curl -s (-X POST )?'?([^'\n]+?)'?$/gm)]
    expect(commands).toHaveLength(4)
    for (const [, post, url] of commands) {
      const ask = () => fetch(url ?? '', { method: post ? 'POST' : 'GET' })
      // A verified read is withheld until both pipelines have read the devnet's initial blocks.
      await vi.waitFor(async () => {
        expect([url, (await ask()).status]).toEqual([url, post ? 201 : 200])
      }, PAIRED_WITHIN_MS)
    }
    const [, metrics] = /^ {2}metrics {7}(\S+)$/m.exec(service.stdout) ?? []
    expect((await fetch(metrics ?? '')).status).toBe(200)
    expect((await ask(address, 'orders')).body.total).toBeGreaterThan(5)
    expect(existsSync(join(path, 'store'))).toBe(true)
    expect((await service.end()).code).toBe(0)
    drop()
  })
})

async function devnetPlays(service: Record<string, string>): Promise<void> {
  const { address } = accountOf('somebody', 'p2wpkh')
  const play = async (...args: string[]) => {
    const { code, stdout, stderr } = await market(['devnet', ...args], service)
    return code === 0 ? JSON.parse(stdout) : stderr
  }
  expect((await play('mine', '2')).blocks).toHaveLength(2)
  expect((await play('reorg', '1')).connected).toHaveLength(2)
  expect((await play('fund', address, '5000')).outpoint.txid).toMatch(/^[0-9a-f]{64}$/)
  expect((await play('inscribe', address, 'hello')).inscriptionId).toMatch(/^[0-9a-f]{64}i0$/)
  expect(await play('send', '00')).toMatch(/^market: .*\n$/)
  expect(await play('fund', 'nobody', '5000')).toBe(
    'market: nobody is neither a script nor a regtest address\n',
  )
  expect(await play('mine', 'many')).toMatch(/^market: blocks: .*\n$/)
}
