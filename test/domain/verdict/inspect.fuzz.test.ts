import fc from 'fast-check'
import * as ecc from 'tiny-secp256k1'
import { expect, test } from 'vitest'
import { orderIdOf } from '../../../src/domain/order/order-id.ts'
import { PsbtRefusedError } from '../../../src/domain/psbt/psbt-refused.ts'
import { type Inspected, inspectPsbt } from '../../../src/domain/verdict/inspect.ts'
import { judgeSignature } from '../../../src/domain/verdict/signatures.ts'
import { OfferClaim } from '../../../src/schemas/order-record.ts'
import { almost } from '../../support/chain/byte-edits.ts'
import { SCRIPTS, walletOf } from '../../support/chain/keys.ts'
import { makeAsk, makeBid } from '../../support/orders/psbt-orders.ts'

/** A release needs a million in all: FUZZ_RUNS=250000 runs as many of each kind. */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 1_500)

const Claim = OfferClaim.pick({
  artifact: true,
  inspection: true,
  offer: true,
  claimedPrevout: true,
})
const SLOW_MS = 5
const spent: number[] = []
const STATUSES = ['valid', 'invalid', 'none', 'no-ask', 'unverifiable', 'beyond-bound', 'ask-node']
const PREVOUTS = [...SCRIPTS.map((script) => walletOf(script, 'seller').scriptHex), '51', ''].map(
  (scriptHex) => ({ valueSats: '10000', scriptHex }),
)

/** Inspects; fails for anything but an order that the log accepts, or a refusal with a reason. */
function inspected(text: string): void {
  const { read, ms } = timed(text)
  // A busy machine may have interrupted it: what is slow by itself is slow again.
  spent.push(ms < SLOW_MS ? ms : Math.min(ms, timed(text).ms, timed(text).ms))
  if (read === null) return
  const { digest, ...claim } = read
  expect(Claim.parse(claim)).toEqual(claim)
  expect(claim.inspection.digest).toBe(digest)
  expect(orderIdOf('regtest', read)).toMatch(/^[0-9a-f]{64}$/)
  judged(read)
}

function timed(text: string) {
  const start = performance.now()
  const read = refusalOr(() => inspectPsbt(text))
  return { read, ms: performance.now() - start }
}

function refusalOr<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof PsbtRefusedError)) throw error
    expect(error.message).toMatch(/^[\x20-\x7e]{1,300}$/)
    return null
  }
}

/** An accepted order can be judged, whatever the node says that it spends. */
function judged({ artifact, inspection, offer, claimedPrevout }: Inspected): void {
  const claimed = inspection.inputWitnessUtxos.with(offer.sellerIndex, claimedPrevout)
  const answers = [claimed, ...PREVOUTS.map((prevout) => claimed.map(() => prevout))].map(
    (prevouts) => judgeSignature({ psbt: artifact, inputIndex: offer.sellerIndex, prevouts }, ecc),
  )
  for (const { status } of answers) expect(STATUSES).toContain(status)
}

const seeds: Uint8Array[] = [
  ...SCRIPTS.flatMap((script) =>
    [true, false].flatMap((finalised) =>
      ([0, 2] as const).map((psbtVersion) =>
        makeAsk({ script, finalised, psbtVersion, placeholders: finalised ? 0 : 2 }),
      ),
    ),
  ),
  ...SCRIPTS.map((script) => makeBid({ funding: [{ script }], finalised: script !== 'p2tr' })),
].map(({ psbt }) => Uint8Array.from(Buffer.from(psbt, 'base64')))

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
const MAGIC = Uint8Array.of(0x70, 0x73, 0x62, 0x74, 0xff)

test('any text', () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.base64String().map((tail) => `cHNidP${tail}`),
    fc.stringMatching(/^[0-9a-f]{0,400}$/).map((tail) => `70736274ff${tail}`),
  )
  fc.assert(
    fc.property(text, (any) => inspected(any)),
    { numRuns: RUNS },
  )
})

test('any bytes after the magic', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 600 }), (tail) =>
      inspected(base64(Uint8Array.of(...MAGIC, ...tail))),
    ),
    { numRuns: RUNS },
  )
})

test('valid orders with bytes changed, cut out, doubled or put in', () => {
  fc.assert(
    fc.property(almost(seeds), (changed) => inspected(base64(changed))),
    { numRuns: RUNS },
  )
})

test('99 of 100 of these took less than 5 ms', () => {
  const sorted = spent.toSorted((a, b) => a - b)
  expect(sorted.length).toBeGreaterThan(1_000)
  expect(sorted[Math.floor(sorted.length * 0.99)]!).toBeLessThan(SLOW_MS)
})
