import { describe, expect, test } from 'vitest'
import { isProvedBy } from '../../../src/domain/order/proved.ts'
import { whyUnproved } from '../../../src/domain/order/why-unproved.ts'
import { judge } from '../../../src/domain/verdict/verdict.ts'
import {
  askClaim,
  bidClaim,
  evidenceOf,
  FUNDING,
  FUNDING_OUTPOINT,
  MISSING,
  NO_MARKET,
  nodeSays,
  signatureOf,
  spentBy,
  unspent,
} from '../../support/orders/evidence.ts'

const SIGNED = ['sighash_byte_missing_recoverable', 'script_sig_missing', 'witness_not_standard']
const funding = [
  { outpoint: FUNDING_OUTPOINT, output: unspent({ output: FUNDING }), signature: 'VALID' as const },
]
const asked = { ASK: askClaim(), BID: bidClaim() }

describe.each(['ASK', 'BID'] as const)(
  'a feed and a verdict agree on what proves an %s',
  (side) => {
    const claim = asked[side]
    test.each([
      ['VALID', null],
      // A bid is signed for all inputs and outputs: no answer about one has this reason.
      ...(side === 'ASK' ? [['VALID', 'sighash_not_single_anyonecanpay'] as const] : []),
      ['INVALID', 'signature_invalid'],
      ['INVALID', 'sighash_byte_missing_recoverable'],
      ['INVALID', 'script_sig_missing'],
      ['INVALID', 'witness_not_standard'],
      ['NONE', 'signature_invalid'],
      ['UNAVAILABLE', 'signature_unverifiable'],
    ] as const)('%s, %s', (status, reason) => {
      const signatures = [signatureOf(claim, status, reason)]
      const node = nodeSays({ signatures, funding: side === 'BID' ? funding : [] })
      const evidence = evidenceOf({ node })
      const verdict = judge({ claim, evidence, market: NO_MARKET, indexProof: null })
      const isSigned = status === 'VALID' && reason === null
      const isProved = isSigned || (side === 'ASK' && SIGNED.includes(reason ?? ''))
      expect(whyUnproved(claim, node)).toBe(isProved ? null : 'bad_signature')
      expect(isProvedBy(verdict)).toBe(isProved)
    })

    test('a missing or spent output is not proved', () => {
      const signatures = [signatureOf(claim)]
      expect(whyUnproved(claim, nodeSays({ signatures, output: MISSING }))).toBe('unknown_output')
      const spent = nodeSays({ signatures, output: spentBy(null, true) })
      expect(whyUnproved(claim, spent)).toBe('spent_output')
    })
  },
)
