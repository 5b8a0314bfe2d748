import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bundle, bundleService } from '../support/bundle.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { openApiClient } from '../support/market/api-client.ts'
import { moderate } from '../support/market/moderate.ts'
import { importAsk } from '../support/orders/devnet-asks.ts'
import { freePort } from '../support/services/programs.ts'
import { runMarket, ServiceProcess } from '../support/services/service-process.ts'
import { eventually } from '../support/webhooks/eventually.ts'
import { openWebhookReceiver, type WebhookReceiver } from '../support/webhooks/webhook-receiver.ts'

// The commands that talk to a running service, and their output on a terminal.

const TOKEN = '0defaced'.repeat(8)
const NOBODY = 'f'.repeat(64)

let bundle: Bundle
beforeAll(async () => {
  bundle = await bundleService()
}, 120_000)
afterAll(() => bundle.drop())

const market = (args: readonly string[], variables: Record<string, string> = {}) =>
  runMarket(bundle, args, variables)

describe('where no service runs', { timeout: 60_000 }, () => {
  const away = { PORT: '1', DATA_DIR: '/nowhere' }

  test('market alone says so, and how to start one', async () => {
    const alone = await market([], away)
    expect([alone.code, alone.stderr]).toEqual([0, ''])
    expect(alone.stdout).toContain('  data          /nowhere, nothing in it yet\n')
    expect(alone.stdout).toContain('  service       http://127.0.0.1:1, not running\n')
    expect(alone.stdout).toMatch(/^Next:\n {2}market start {3}run the service$/m)
    expect(await market(['status'], away)).toEqual(alone)
    // As `npm run` of a clone has it.
    const inClone = await market([], { ...away, npm_package_name: 'psbt-market' })
    expect(inClone.stdout).toMatch(/^ {2}npm run market -- start {3}run the service$/m)
    expect(inClone.stdout).toMatch(/^ {2}npm run market -- --help {2}all commands$/m)
    expect(JSON.parse((await market(['status', '--json'], away)).stdout)).toMatchObject({
      service: 'away',
      hasStore: false,
      live: null,
    })
  })

  test.each([
    [['watch', NOBODY], 'cannot reach the service at http://127.0.0.1:1: start it first'],
    [['webhooks', 'list'], 'OPERATOR_TOKEN is required: the token of an operator'],
    [['keys', 'list'], 'OPERATOR_TOKEN is required: the token of an operator'],
    [['import', '-'], 'API_KEY is required: the key of a customer'],
    [['webhooks', 'create', 'a', 'https://b', '--filter', '[]'], 'It must be a JSON object'],
  ])('market %j ends with 1, and says what is missing', async (args, message) => {
    const { code, stderr } = await market(args, away)
    expect(code).toBe(1)
    expect(stderr).toContain(message)
    expect(stderr).not.toMatch(/^ +at /m)
  })

  test('another listener there is not taken for a service', async () => {
    const other: Server = createServer((_request, response) => response.end('hello'))
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as AddressInfo
    const { stdout } = await market([], { ...away, PORT: String(port) })
    expect(stdout).toContain('something else listens there')
    other.close()
  })

  test.runIf(process.platform === 'linux')(
    'colours are for a terminal, and NO_COLOR turns them off',
    async () => {
      const plain = await market(['status'], away)
      expect(plain.stdout).not.toContain('\u001b')
      const onTerminal = (variables: string) =>
        execFileSync('script', [
          ...['-qec', `env -i ${variables} PORT=1 ${process.execPath} ${bundle.market} status`],
          '/dev/null',
        ]).toString()
      expect(onTerminal('TERM=xterm-256color')).toContain('\u001b[33mnot running\u001b[39m')
      expect(onTerminal('TERM=xterm-256color NO_COLOR=1')).not.toContain('\u001b[33m')
    },
  )
})

describe('a shell completes', { timeout: 60_000 }, () => {
  const words = async (...line: string[]) =>
    (await market(['complete', '--', ...line])).stdout
      .split('\n')
      .map((row) => row.split('\t')[0] ?? '')

  test('commands, their commands and options', async () => {
    expect(await words('w')).toEqual(expect.arrayContaining(['watch', 'webhooks']))
    expect(await words('webhooks', '')).toEqual(
      expect.arrayContaining(['list', 'create', 'disable', 'enable', 'deliveries', 'retry']),
    )
    expect(await words('tail', '--')).toEqual(expect.arrayContaining(['--topic', '--json']))
    expect(await words('tail', '--topic', 'orders.')).toContain('orders.lifecycle')
    expect(await words('query', '--format', '')).toEqual(expect.arrayContaining(['csv', 'parquet']))
    expect(await words('query', '--interval', 'w')).toContain('week')
    expect(await words('devnet', 'm')).toContain('mine')
  })

  test.each(['bash', 'zsh', 'fish'])('by a script for %s', async (shell) => {
    const { code, stdout } = await market(['completion', shell])
    expect([code, stdout.includes('complete --')]).toEqual([0, true])
    if (shell === 'bash') execFileSync('bash', ['-n'], { input: stdout })
  })
})

describe('beside a service', { timeout: 240_000 }, () => {
  const directory = temporaryDirectory()
  let here: Record<string, string>
  let service: ServiceProcess
  let receiver: WebhookReceiver
  let address: string
  beforeAll(async () => {
    receiver = await openWebhookReceiver()
    here = {
      DATA_DIR: directory.path,
      PORT: String(await freePort()),
      METRICS_PORT: '0',
      OPERATOR_TOKENS: `mia:${createHash('sha256').update(TOKEN).digest('hex')}`,
      // More commands than an operator may send a minute.
      RATE_LIMIT_OPERATOR: '1000',
      WEBHOOK_LOOPBACK: 'true',
    }
    service = new ServiceProcess(bundle, ['start'], here)
    address = await service.ready()
  }, 120_000)
  afterAll(async () => {
    await service.end('SIGKILL')
    await receiver.close()
    directory.drop()
  })

  const withdraw = async (id: string) => {
    const answer = await moderate(openApiClient(address), id, { reason: 'a test' }, TOKEN)
    expect(answer.status).toBe(201)
  }
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await market([...args, '--json'], {
      ...here,
      OPERATOR_TOKEN: TOKEN,
    })
    expect([args, code, stderr]).toEqual([args, 0, ''])
    return JSON.parse(stdout)
  }

  test('market alone says what runs, and its health', async () => {
    const { code, stdout } = await market([], here)
    expect(code).toBe(0)
    expect(stdout).toContain(`  service       ${address}, ready\n`)
    expect(stdout).toMatch(/^ {2}health {8}active, block \d+$/m)
    expect(stdout).toMatch(/^ {2}orders {8}\d+ LIVE$/m)
    expect(stdout).toContain(`  ${address}/ `)
  })

  test('webhooks are created, sent, paused and deleted by the command', async () => {
    const made = await json('webhooks', 'create', 'shop', receiver.url('/shop'))
    receiver.secrets.set('/shop', made.secret)
    const { id } = await importAsk(address, 'a webhook')
    await eventually(() => receiver.accepted('/shop').length).toBeGreaterThan(0)
    expect(receiver.received.every(({ event }) => event.data.orderId === id)).toBe(true)
    expect((await json('webhooks', 'disable', 'shop')).paused).toBe('operator')
    const listed = await market(['webhooks', 'list'], { ...here, OPERATOR_TOKEN: TOKEN })
    expect(listed.stdout).toMatch(/^shop +http:\S+ .* paused \(operator\)\n$/)
    expect((await json('webhooks', 'enable', 'shop')).paused).toBeNull()
    expect(await json('webhooks', 'deliveries', 'shop')).toMatchObject({
      webhook: { name: 'shop', dead: 0 },
      deadLetters: [],
    })
    expect((await json('webhooks', 'retry', 'shop')).name).toBe('shop')
    expect((await json('webhooks', 'rotate', 'shop')).secret).not.toBe(made.secret)
    await json('webhooks', 'delete', 'shop')
    expect(await json('webhooks', 'list')).toEqual([])
    const gone = await market(['webhooks', 'retry', 'shop'], { ...here, OPERATOR_TOKEN: TOKEN })
    expect(gone).toEqual({ code: 1, stdout: '', stderr: 'market: no webhook has this name\n' })
    const stranger = await market(['webhooks', 'list'], { ...here, OPERATOR_TOKEN: 'a'.repeat(64) })
    expect([stranger.code, stranger.stdout]).toEqual([1, ''])
  })

  test('an order is followed over a service that is killed, to its end, each state once', async () => {
    expect(await market(['watch', NOBODY], here)).toMatchObject({ code: 1, stdout: '' })
    const { id } = await importAsk(address, 'a followed one')
    const watching = new ServiceProcess(bundle, ['watch', id, '--json'], here)
    const lines = () =>
      watching.stdout
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line))
    await eventually(() => lines().at(-1)?.state).toBe('LIVE')
    await service.end('SIGKILL')
    await eventually(() => watching.stderr).toContain('trying again')
    service = new ServiceProcess(bundle, ['start'], here)
    await service.ready()
    await withdraw(id)
    const { code } = await watching.ended()
    expect(code).toBe(0)
    const states = lines().map(({ state }) => state)
    expect(states.at(-1)).toBe('WITHDRAWN')
    expect(new Set(states).size).toBe(states.length)
    const after = await market(['watch', id], here)
    expect([after.code, after.stdout]).toEqual([0, expect.stringMatching(/Z {2}WITHDRAWN /)])
  })
})
