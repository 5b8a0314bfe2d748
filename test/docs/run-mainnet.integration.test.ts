import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Stub } from '../../bench/rehearsal/stub.ts'
import type { StubState } from '../../bench/rehearsal/stub-node.ts'
import { type Bundle, bundleService } from '../support/bundle.ts'
import { SMALL_MAINNET } from '../support/docs/small-mainnet.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { fetchUnlessShed } from '../support/market/fetch-unless-shed.ts'

// The commands of docs/run.md for mainnet, run by a shell as written. The differences: the addresses
// of node and index, the heights of their chain, and that npm's scripts run the bundle.

const BUNDLED_WITHIN_MS = 60_000
const LOGIN = '__cookie__:a-password-of-the-node'
const CLIENT = '203.0.113.7'

const PAGE = readFileSync('docs/run.md', 'utf8')
const section = PAGE.slice(PAGE.indexOf('## On real parts'))
const [, COMMANDS = ''] = /```sh\n(.*?)```/s.exec(section) ?? []
const HEIGHT = /(?<=--from |_START_HEIGHT=)\d+/g

const folder = temporaryDirectory()
let bundle: Bundle
let stub: Stub
let node: StubState
beforeAll(async () => {
  bundle = await bundleService()
  stub = await Stub.start({
    ...SMALL_MAINNET,
    login: LOGIN,
  })
  node = await stub.state()
}, BUNDLED_WITHIN_MS)
afterAll(async () => {
  await stub.end()
  bundle.drop()
  folder.drop()
})

/** Replaces npm: its scripts are those of package.json, the program is the bundle. */
const NPM = `npm() {
  case "$*" in
    ci|'run build') ;;
    start) exec "$NODE" "$MARKET" start ;;
    'run market -- '*) shift 3; "$NODE" "$MARKET" "$@" ;;
    *) echo "no such script: $*" >&2; exit 1 ;;
  esac
}
set -e
`

function scriptOf(commands: string): string {
  const cookie = join(folder.path, '.cookie')
  writeFileSync(cookie, LOGIN)
  const here: [written: string, running: string][] = [
    ['http://127.0.0.1:8332', node.rpcUrl],
    ['/var/lib/bitcoind/.cookie', cookie],
    ['tcp://127.0.0.1:28332', node.zmqUrl],
    ['http://127.0.0.1:8081', node.indexUrl],
  ]
  const moved = here.reduce((script, [written, running]) => {
    expect(script).toContain(written)
    return script.replace(written, running)
  }, commands)
  return NPM + moved.replaceAll(HEIGHT, String(node.height - 5))
}

function shell(script: string) {
  return spawn('sh', ['-c', script], {
    env: {
      PATH: process.env['PATH'],
      NODE: process.execPath,
      MARKET: bundle.market,
      DATA_DIR: join(folder.path, 'data'),
      PORT: '0',
      METRICS_PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

test('the service starts on mainnet with the commands as written', async () => {
  const service = shell(scriptOf(COMMANDS))
  let said = ''
  service.stdout.on('data', (chunk) => {
    said += String(chunk)
  })
  const errors = text(service.stderr)
  const ended = once(service, 'exit')
  try {
    while (!said.includes('one JSON line per entry.\n')) {
      if (service.exitCode !== null) throw new Error(`it ended: ${said}${await errors}`)
      await delay(50)
    }
    const [, address] = /^market is ready on (\S+)\/api\/market$/m.exec(said) ?? []
    for (const fold of ['pairing', 'circles']) {
      expect(said).toContain(
        `${fold} from height ${node.height - 5} to the tip of mainnet, ${node.height}\n`,
      )
    }
    let health: Record<string, unknown>
    do {
      const answer = await fetchUnlessShed(`${address}/api/market/health`)
      health = (await answer.json()) as Record<string, unknown>
      await delay(100)
    } while (health['readyForBitcoinListings'] !== true)
    expect(health).toMatchObject({ network: 'mainnet', status: 'active' })
    for (const path of ['/readyz', '/circles/state']) {
      expect((await fetchUnlessShed(address + path)).status).toBe(200)
    }
    await fetchUnlessShed(`${address}/api/market/orders`, {
      headers: { 'x-forwarded-for': CLIENT, 'x-forwarded-proto': 'https' },
    })
  } finally {
    service.kill('SIGTERM')
    await ended
  }
  expect(service.exitCode).toBe(0)
  expect(said).toContain(`"ip":"${CLIENT}"`)
}, 110_000)

test('without the heights the start is refused, and says what they are for', async () => {
  const withoutHeights = COMMANDS.split('\n').filter((line) => !/_START_HEIGHT=/.test(line))
  const service = shell(scriptOf(withoutHeights.join('\n')))
  const [errors, [code]] = await Promise.all([text(service.stderr), once(service, 'exit')])
  expect(code).toBe(1)
  for (const fold of ['PAIRING', 'CIRCLES']) {
    expect(errors).toContain(`\n  ${fold}_START_HEIGHT is required on mainnet: `)
  }
}, 60_000)
