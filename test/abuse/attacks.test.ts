import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import * as ecc from 'tiny-secp256k1'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openBundleSigner } from '../../src/domain/dispute/bundle-signer.ts'
import { bundleText, sealBundle } from '../../src/domain/dispute/seal-bundle.ts'
import { verifyBundle } from '../../src/domain/dispute/verify-bundle.ts'
import { resultOf } from '../../src/operator/dispute/verify-bundle-file.ts'
import type { ProtocolContract } from '../../src/schemas/api/protocol.ts'
import { DisputeBundle } from '../../src/schemas/dispute/bundle.ts'
import { AbuseRun } from '../support/abuse/abuse-run.ts'
import { type Abused, abuseTable, mergedTable, percentile } from '../support/abuse/abuse-table.ts'
import { ATTACKS, HOLDING_ATTACKS } from '../support/abuse/attacks.ts'
import type { HonestReport } from '../support/abuse/honest-market.ts'
import { limitTroubles } from '../support/abuse/limit-of-one.ts'
import { readLongAnswers } from '../support/abuse/long-answers.ts'
import { sellAndQuote } from '../support/abuse/owner-at-work.ts'
import { honestAddress } from '../support/abuse/pace.ts'
import { type Bundle, bundleService } from '../support/bundle.ts'

// Every attack that a stranger can run, from any number of networks, while honest clients list,
// read and buy at a steady pace. ABUSE=long runs each ten times as long.

const IS_LONG = process.env['ABUSE'] === 'long'
const SCALE = IS_LONG ? 10 : 0.7
const IDLE_MS = IS_LONG ? 30_000 : 5_000
/** Around each attack, since the idle figures change with what is stored, and with the machine. */
const AROUND = { beforeMs: IS_LONG ? 10_000 : 500, afterMs: IS_LONG ? 1_000 : 500 }
/** In the long form 10,000 imports that were accepted. */
const VICTIM_SCALE = IS_LONG ? 100 : 0.7
const SELLERS = IS_LONG ? 2_400 : 600
/** Of the reads' p95, which is a few milliseconds: below the floor it is noise. */
const MAX_TIMES_IDLE = 2
const NOISE_MS = 5
/** A shared machine gets an allowance in the short form, where few reads are counted. */
const LET_OFF_MS = IS_LONG ? 0 : 10_000
/** Of honest answers, in the short form: such a machine is overloaded at times by itself. */
const MAX_TROUBLED = IS_LONG ? 0 : 0.34
const MAX_RSS = 1.5 * 2 ** 30
/** The history follows the changes on its own, on a busy machine seconds later. */
const PATIENCE = { timeout: 120_000, interval: 250 }

/** With ABUSE_TABLE=write the rows of the attacks that ran are replaced in docs/abuse.md. */
const PAGE = new URL('../../docs/abuse.md', import.meta.url)
const TABLE = /(?<=<!-- attacks -->\n\n)[\s\S]*(?=\n\n<!-- end of attacks -->)/

const rows: Abused[] = []
let bundle: Bundle
let run: AbuseRun

beforeAll(async () => {
  bundle = await bundleService()
  run = await AbuseRun.open(bundle, SELLERS)
  await run.measureIdle(IDLE_MS)
})
afterAll(async () => {
  if (run) publishTable(abuseTable(run.idle, rows))
  await run?.close()
  bundle?.drop()
})

const sumOf = (counts: readonly [string, number][]): number =>
  counts.reduce((sum, [, count]) => sum + count, 0)

const answersIn = ({ answersMs }: HonestReport): number =>
  Object.values(answersMs).reduce((sum, { length }) => sum + length, 0)

function publishTable(table: string): void {
  process.stdout.write(`\n${table}\n`)
  if (process.env['ABUSE_TABLE'] !== 'write') return
  const page = readFileSync(PAGE, 'utf8')
  const names = ATTACKS.map(({ name }) => name)
  writeFileSync(
    PAGE,
    page.replace(TABLE, (before) => mergedTable(before, table, names)),
  )
}

test('honest work succeeds without strangers', () => {
  expect(run.idle.wrong).toEqual([])
  const troubled = [...Object.entries(run.idle.putOff), ...Object.entries(run.idle.late)]
  expect(sumOf(troubled)).toBeLessThanOrEqual(MAX_TROUBLED * answersIn(run.idle))
  expect(run.idle.answersMs.read?.length).toBeGreaterThan(20)
})

describe('honest clients are served during', () => {
  const attacks = ATTACKS.map(({ name, putsOff, perMinute }) => ({ name, putsOff, perMinute }))
  test.each(attacks)('$name', async (attack) => {
    const suffered = await run.suffer(attack.name, SCALE, AROUND)
    rows.push(suffered)
    const { tally, honest, aftermath, sizes } = suffered
    expect(tally.requests).toBeGreaterThan(0)
    expect(tally.faults).toEqual([])
    expect(tally.late).toBeLessThanOrEqual(MAX_TROUBLED * tally.requests)
    expect([...honest.wrong, ...aftermath.wrong]).toEqual([])
    const mayBePutOff = attack.putsOff ?? []
    const putOff = Object.entries(honest.putOff).filter(
      ([act]) => !mayBePutOff.some((one) => one === act),
    )
    const troubled = [...putOff, ...Object.entries(honest.late)]
    expect(sumOf(troubled)).toBeLessThanOrEqual(MAX_TROUBLED * answersIn(honest))
    expect(aftermath.answersMs.read?.length).toBeGreaterThan(0)
    expect(sizes.rss).toBeLessThan(MAX_RSS)
    const idle = percentile(suffered.idleReadsMs, 0.95)
    const beside = percentile(honest.answersMs.read ?? [], 0.95)
    expect(beside).toBeLessThanOrEqual(
      Math.max(MAX_TIMES_IDLE * idle, idle + NOISE_MS) + LET_OFF_MS,
    )
    if (attack.perMinute !== undefined) expect(limitTroubles(tally, attack.perMinute)).toEqual([])
    if (!HOLDING_ATTACKS.has(attack.name)) return
    const given = await readLongAnswers(run.service.address, honestAddress(8, rows.length))
    expect(given).toEqual({ stream: 'whole', circles: 'whole' })
  })
})

test('a bundle of the service is sound by its key, and what a stranger makes of it is not', async () => {
  const { address } = run.service
  const order = (await run.honest.listed(40)).at(-1)
  const read = (path: string) =>
    fetch(`${address}/api/market/${path}`, {
      headers: { 'x-forwarded-for': honestAddress(8, 255) },
    })
  const { safety } = (await (await read('protocol')).json()) as ProtocolContract
  const key = safety.bundleKey ?? expect.fail('the service has no key')
  // Its history follows the changes by itself.
  const text = await vi.waitFor(async () => {
    const answer = await read(`orders/${order?.id}/bundle`)
    expect(answer.status).toBe(200)
    return await answer.text()
  }, PATIENCE)
  const resultFor = (bundle: DisputeBundle, by?: string) =>
    resultOf(verifyBundle(bundleText(bundle), ecc, by))
  const bundle = DisputeBundle.parse(JSON.parse(text))
  expect(resultFor(bundle, key)).toBe('sound')

  const { sha256: _, signature, ...unsealed } = bundle
  const forger = openBundleSigner(new Uint8Array(32).fill(8))
  const forgeries = [
    sealBundle(unsealed),
    sealBundle(unsealed, forger),
    { ...sealBundle({ ...unsealed, network: 'signet' }), ...(signature && { signature }) },
  ]
  for (const forged of forgeries) expect(resultFor(forged, key)).toBe('not sound')
})

test("a victim's owner and its buyers are answered as if there were no junk", async () => {
  const { service, strangers, victim, unharmed, buyers } = run
  const flood = strangers.attack("imports of one victim's output", VICTIM_SCALE)
  const sold = await sellAndQuote(service.address, victim, buyers)
  const { requests, statuses } = await flood
  expect(requests).toBeGreaterThan(0)
  expect(statuses['201']).toBeGreaterThan(0)
  const soldInPeace = await sellAndQuote(service.address, unharmed, buyers)
  expect(sold).toEqual(soldInPeace)
  expect(soldInPeace).toMatchObject({ isOneOrder: true, published: { state: 'LIVE' } })
})

test('at the end the audit is clean', async () => {
  await run.rest()
  await delay(1_000)
  const { stdout, stderr } = await run.service.audit()
  expect(stdout + stderr).toMatch(/\nclean: every invariant holds\n$/)
})
