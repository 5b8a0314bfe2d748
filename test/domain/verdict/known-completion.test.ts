import { Transaction } from 'bitcoinjs-lib'
import { describe, expect, test } from 'vitest'
import { outpointText } from '../../../src/domain/chain/outpoint.ts'
import { reasonProblems } from '../../../src/domain/inspection/verdict-problems.ts'
import { inspectPsbt } from '../../../src/domain/verdict/inspect.ts'
import { knownCompletion } from '../../../src/domain/verdict/known-completion.ts'
import { witnessBytes } from '../../../src/domain/verdict/node-question.ts'
import { judge } from '../../../src/domain/verdict/verdict.ts'
import type { TxOut } from '../../../src/schemas/scalars.ts'
import { SCRIPTS, walletOf } from '../../support/chain/keys.ts'
import { acceptBid } from '../../support/market/seller.ts'
import {
  bidClaim,
  evidenceOf,
  NO_MARKET,
  nodeSays,
  signatureOf,
  unspent,
} from '../../support/orders/evidence.ts'
import { changePsbt, field } from '../../support/orders/psbt-changes.ts'
import {
  type BidOptions,
  type MadeBid,
  makeAsk,
  makeBid,
} from '../../support/orders/psbt-orders.ts'

const seller = walletOf('p2tr', 'seller')

/** The claim of a bid, and what the node says of it: its signatures are valid. */
function known(bid: MadeBid) {
  const { artifact, offer, inspection } = inspectPsbt(bid.psbt)
  const claim = { ...bidClaim(), artifact, offer, inspection, claimedPrevout: bid.prevout }
  const funding = bid.funding.map(({ outpoint, output }) => ({
    outpoint: outpointText(outpoint),
    output: unspent({ output }),
    signature: 'VALID' as const,
  }))
  const node = nodeSays({
    coreVersion: 310_000,
    output: unspent({ output: bid.prevout }),
    funding,
    signatures: [signatureOf(claim)],
  })
  return { claim, node }
}

const bidOf = (options: BidOptions) => makeBid({ seller, ...options })
const completion = (bid: MadeBid) => {
  const { claim, node } = known(bid)
  return knownCompletion(claim, node)
}
function verdictOf(bid: MadeBid): string {
  const { claim, node } = known(bid)
  const evidence = evidenceOf({ node })
  const { state, reason } = judge({ claim, evidence, market: NO_MARKET, indexProof: null })
  return `${state} ${reason}`
}

describe('a bid', () => {
  test.each(SCRIPTS)('paid from %s has the size of its completion, and its fee', (script) => {
    for (const finalised of [true, false]) {
      for (const sellerIndex of [0, 1]) {
        const funding = [{ script }, { script: 'p2tr' as const, seed: 'another' }]
        const bid = bidOf({ funding, finalised, sellerIndex, feeSats: '900' })
        const real = Transaction.fromHex(acceptBid(bid, seller)).virtualSize()
        expect(completion(bid)).toEqual({ leastVbytes: BigInt(real), feeSats: 900n })
      }
    }
  })

  test('is refused for its fee alone if it is one sat below the minimum', () => {
    const vbytes = completion(bidOf({}))?.leastVbytes ?? 0n
    const least = (vbytes * 100n + 999n) / 1000n
    const verdicts = [-1n, 0n].map((more) => verdictOf(bidOf({ feeSats: `${least + more}` })))
    expect(verdicts).toEqual(['REJECTED not_relayable', 'LIVE verified'])
    expect(verdictOf(bidOf({ feeSats: '1', version: 3 }))).toBe('LIVE verified')
  })

  test('is told the fee that it lacks', () => {
    const { claim, node } = known(bidOf({ feeSats: '1' }))
    const { leastVbytes = 0n } = knownCompletion(claim, node) ?? {}
    const [problem] = reasonProblems({
      claim,
      evidence: evidenceOf({ node }),
      reasons: ['not_relayable'],
      pointers: { artifact: '/psbt', asset: '/asset' },
    })
    const leastSats = ((leastVbytes * 100n + 999n) / 1000n).toString()
    expect(problem?.place).toEqual({ pointer: '/psbt' })
    expect(problem?.details).toEqual({ policy: 'fee', leastSats })
  })

  test('is not refused where its signatures are not known: a wrapper that was withheld', () => {
    const { claim, node } = known(bidOf({ feeSats: '1' }))
    expect(knownCompletion({ ...claim, artifact: '' }, node)).toBeNull()
    const bare = changePsbt(bidOf({ feeSats: '1' }).psbt, ({ inputs }) => {
      inputs[1] = []
    })
    expect(knownCompletion({ ...claim, artifact: bare }, node)).toBeNull()
  })

  test('whose fee suffices for any transaction is not read', () => {
    const { claim, node } = known(bidOf({ feeSats: '10000' }))
    expect(knownCompletion(claim, node)).toBeNull()
    expect(completion(bidOf({ feeSats: '9999' }))).not.toBeNull()
    expect(completion(bidOf({ feeSats: '10000', version: 3 }))).not.toBeNull()
  })
})

test('an ask of version 3 has the size of its own input and output, and no fee', () => {
  const leaf = new Uint8Array(45_000)
  const ask = makeAsk({ version: 3, placeholders: 1 })
  const psbt = changePsbt(ask.psbt, ({ inputs }) => {
    const signature = new Uint8Array(65).fill(0x83)
    const control = new Uint8Array(33).fill(0xc0)
    inputs[1] = [field(0x08, witnessBytes([signature, leaf, control]))]
  })
  const known = (text: string, prevout: TxOut) => {
    const { artifact, offer } = inspectPsbt(text)
    return knownCompletion({ artifact, offer }, nodeSays({ output: unspent({ output: prevout }) }))
  }
  const big = known(psbt, ask.prevout)
  expect(big?.feeSats).toBeNull()
  expect(Number(big?.leastVbytes)).toBeGreaterThan(11_000)
  expect(Number(known(ask.psbt, ask.prevout)?.leastVbytes)).toBeLessThan(200)
  expect(known(makeAsk({ version: 2 }).psbt, ask.prevout)).toBeNull()
})
