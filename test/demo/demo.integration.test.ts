import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../support/embedded.ts'
import { type DemoRun, runDemo, startDemo, valuesOf } from '../support/services/run-demo.ts'

/** About ten seconds; minutes when everything else is tested in parallel. */
const PLAYED_WITHIN_MS = 300_000

describe('on the devnet', () => {
  let run: DemoRun
  beforeAll(async () => {
    run = await runDemo()
  }, PLAYED_WITHIN_MS)

  test('every expectation holds: it exits with 0 and says so', () => {
    expect([run.code, run.stderr]).toEqual([0, ''])
    expect(run.stdout).toMatch(/^8 acts, [0-9]+ requests, every answer as it had to be\.$/m)
  })

  test('five stories pass their states, in their order', () => {
    expect(valuesOf(run, 'state')).toEqual([
      ...['LIVE', 'MEMPOOL_CONFLICTED', 'SETTLED'],
      ...['LIVE', 'WITHDRAWN'],
      ...['LIVE', 'MEMPOOL_CONFLICTED', 'LIVE'],
      ...['LIVE', 'MEMPOOL_CONFLICTED', 'SETTLED', 'MEMPOOL_CONFLICTED', 'SETTLED'],
      ...['LIVE', 'LIVE', 'LIVE'],
    ])
  })

  test('the log of each order is shown', () => {
    expect(run.stdout.match(/^ {6}GET {5}\/api\/market\/activity\?orderId=/gm)).toHaveLength(4)
    expect(valuesOf(run, 'PENDING_NODE')).toHaveLength(4)
    expect(valuesOf(run, 'SETTLED')).toHaveLength(3)
  })

  test('a page that follows the sale gets the present state, and then each change', () => {
    expect(valuesOf(run, 'event')).toEqual(['snapshot', 'change', 'change', 'webhooks'])
    expect(valuesOf(run, 'entry.toState')).toEqual(['MEMPOOL_CONFLICTED', 'SETTLED'])
  })

  test('a server is sent each change of the sale, signed and in order', () => {
    expect(valuesOf(run, 'data.entry.toState')).toEqual([
      ...['PENDING_NODE', 'LIVE', 'MEMPOOL_CONFLICTED', 'SETTLED'],
    ])
  })

  test('the sale is a candle', () => {
    const candle = ['open_sats', 'high_sats', 'low_sats', 'close_sats', 'volume_sats', 'sales']
    expect(candle.flatMap((name) => valuesOf(run, `rows.0.${name}`))).toEqual([
      ...['50000', '50000', '50000', '50000', '50000', '1'],
    ])
  })

  test('its bundle proves the sale to a reader who has nothing else', () => {
    expect(valuesOf(run, 'runs')).toEqual(['market verify-bundle bundle.json --key KEY'])
    expect(run.stdout).toMatch(/^ +proved {3}it pays exactly what the order asked$/m)
    // One more is claimed where no whole change has evidence; those about blocks are, on regtest.
    expect(run.stdout).toMatch(/^ +sound: 9 facts proved, 1[01] only claimed$/m)
    expect(run.stdout).not.toMatch(/^ +failed /m)
  })

  test('the node accepts the purchases that the preflight allowed, and the replacement of one', () => {
    const allowed = valuesOf(run, 'txid')
    const accepted = valuesOf(run, 'accepts')
    expect(allowed).toHaveLength(3)
    expect(accepted).toHaveLength(4)
    expect(accepted).toEqual(expect.arrayContaining(allowed))
    expect(valuesOf(run, 'drops')).toEqual([allowed[1]])
  })

  test('what would lose the asset is refused with the reason, though the node would accept it', () => {
    expect(valuesOf(run, 'rejectReason')).toEqual([
      'asset_to_fee',
      'asset_burned',
      'asset_to_payout',
    ])
    expect(run.stdout.match(/^ {6}node {4}would take it +yes$/gm)).toHaveLength(3)
  })

  test('a request is shown with its method, its path and its body, and nothing is too long to read', () => {
    expect(run.stdout).toContain('POST    /api/market/orders/build\n')
    expect(valuesOf(run, 'quotedPriceSats')).toContain('50000')
    expect(run.stdout).not.toMatch(/[0-9a-f]{25}/)
    expect(run.stdout.split('\n').filter((line) => line.length > 100)).toEqual([])
  })

  test('without a terminal it has no colours', () => {
    expect(run.stdout).not.toContain('\x1b')
  })
})

test('when its terminal closes it ends, and leaves no folder', async () => {
  const { path, drop } = temporaryDirectory()
  const { child, ended } = startDemo([], { ...process.env, TMPDIR: path })
  await once(child.stdout, 'data')
  child.kill('SIGHUP')
  expect((await ended).code).toBe(129)
  expect(readdirSync(path).filter((name) => name.startsWith('market-'))).toEqual([])
  drop()
})

describe('what prevents it from running is said in a sentence, with exit code 1', () => {
  test('an argument that it does not know', async () => {
    const { code, stdout, stderr } = await runDemo(['--unknown'])
    const usage = 'usage: npm run demo [-- --real], or npm run stack'
    expect([code, stdout, stderr]).toEqual([1, '', `\ndemo: ${usage}\n`])
  })

  test('real parts that are not installed', async () => {
    const { code, stderr } = await runDemo(['--real'], {
      ...process.env,
      MARKET_SERVICES_CACHE: '/nowhere',
    })
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^\ndemo: (?:ORD|BITCOIND) is not installed: run "scripts\/services install"/,
    )
  })
})
