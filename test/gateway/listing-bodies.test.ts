import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CATALOG } from '../../src/domain/catalog/catalog.ts'
import { addressOfScript, scriptOfAddress } from '../../src/domain/script/address.ts'
import { dustThreshold } from '../../src/domain/script/relay.ts'
import { inspectArtifact } from '../../src/gateway/intake/inspect-artifact.ts'
import { listingTerms } from '../../src/gateway/reading/listing-terms.ts'
import { RefusalError } from '../../src/gateway/refusal.ts'
import { BuildAskRequest, PublishAskRequest } from '../../src/schemas/api/listing.ts'
import { artifactsHere } from '../support/artifacts-here.ts'
import { almost } from '../support/chain/byte-edits.ts'
import { SCRIPTS, walletOf } from '../support/chain/keys.ts'
import { makeAsk, outpointOf } from '../support/orders/psbt-orders.ts'

// What a build and a publish may be given: the terms of a listing or a refusal, and nothing else.

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 2_000)
const addresses = SCRIPTS.map(
  (kind) => addressOfScript(walletOf(kind, 'paid').scriptHex, 'regtest')!,
)
const outpoint = outpointOf('listed')
const asset = { inscriptionId: `${outpoint.txid}i0`, outpoint }
const good = (['p2tr', 'p2wpkh'] as const).flatMap((script) => {
  const { psbt } = makeAsk({ script })
  return [Buffer.from(psbt, 'base64')]
})

const refusedOr = async <T>(
  read: () => T | Promise<T>,
  codes: readonly string[],
): Promise<T | null> => {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error
    expect(codes).toContain(error.code)
    expect(error.statusCode).toBe(400)
    expect(error.reasons.length).toBeGreaterThan(0)
    return null
  }
}

const mostly = <T>(right: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 12, arbitrary: right }, fc.string({ unit: 'binary' }), fc.anything())

const edited = (texts: readonly string[]): fc.Arbitrary<string> =>
  almost(texts.map((text) => Buffer.from(text))).map((bytes) => Buffer.from(bytes).toString())

const builds = fc.record(
  {
    protocolId: mostly(fc.constantFrom(...CATALOG.map(({ id }) => id))),
    token: mostly(fc.constantFrom('PUNK', 'été')),
    quotedPriceSats: mostly(
      fc.oneof(
        { weight: 6, arbitrary: fc.maxSafeNat() },
        fc.maxSafeInteger(),
        fc.bigInt().map(String),
        fc.double(),
      ),
    ),
    sellerPaymentAddress: mostly(
      fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...addresses) }, edited(addresses)),
    ),
    asset: mostly(fc.constant(asset)),
    outpoint: mostly(fc.constantFrom(outpoint, outpoint, outpointOf('other'))),
  },
  { requiredKeys: ['protocolId', 'token', 'quotedPriceSats', 'sellerPaymentAddress'] },
)

test('any body of a build is terms that pay their price to that address, or BUILD_REFUSED', async () => {
  let read = 0
  await fc.assert(
    fc.asyncProperty(fc.oneof({ weight: 9, arbitrary: builds }, fc.anything()), async (body) => {
      const { success, data } = BuildAskRequest.safeParse(body)
      if (!success) return
      const terms = await refusedOr(() => listingTerms(data, 'regtest'), ['BUILD_REFUSED'])
      if (!terms) return
      const { payout, market } = terms
      expect(payout.scriptHex).toBe(scriptOfAddress(data.sellerPaymentAddress, 'regtest'))
      expect(payout.valueSats).toBe(data.quotedPriceSats)
      expect(BigInt(payout.valueSats)).toBeGreaterThanOrEqual(dustThreshold(payout.scriptHex))
      expect([market.id, market.capabilities.createListing]).toEqual([data.protocolId, true])
      expect(terms.outpoint).toEqual(data.outpoint ?? data.asset?.outpoint)
      read += 1
    }),
    { numRuns: RUNS },
  )
  // One in seventy is.
  expect(read).toBeGreaterThan(RUNS / 1_000)
})

test('any body of a publish is an inspected PSBT or a refusal of it', async () => {
  const texts = fc.oneof(
    { weight: 4, arbitrary: almost(good).map((bytes) => Buffer.from(bytes).toString('base64')) },
    { weight: 2, arbitrary: almost(good).map((bytes) => Buffer.from(bytes).toString('hex')) },
    { weight: 2, arbitrary: edited(good.map((bytes) => bytes.toString('base64'))) },
    fc.string({ unit: 'binary' }),
    fc.anything(),
  )
  await fc.assert(
    fc.asyncProperty(texts, async (psbt) => {
      const { success, data } = PublishAskRequest.safeParse({ psbt })
      if (!success) return
      const codes = ['INVALID_PSBT', 'PSBT_TOO_LARGE']
      const read = await refusedOr(
        () => inspectArtifact({ artifacts: artifactsHere }, 'psbt', data.psbt),
        codes,
      )
      if (read) expect(read.offer.payouts.length).toBeLessThanOrEqual(64)
    }),
    { numRuns: RUNS },
  )
})
