import { expect, test } from 'vitest'
import { checkVerdicts } from '../../../src/domain/dispute/check-verdicts.ts'
import { Findings } from '../../../src/domain/dispute/findings.ts'
import { DisputeBundle } from '../../../src/schemas/dispute/bundle.ts'
import { vectorText } from '../../support/vectors.ts'

/** The bundle of a settled order, whose artifact is withheld, after a refusal that its log gives. */
function refusedFor(reason: string): Findings {
  const bundle = DisputeBundle.parse(JSON.parse(vectorText('dispute-settled.json')))
  const changes = bundle.changes.map((change) =>
    'withheld' in change && change.toState === 'LIVE'
      ? { ...change, toState: 'REJECTED' as const, reason }
      : change,
  )
  const findings = new Findings()
  checkVerdicts({ ...bundle, changes }, findings)
  return findings
}

test('what is not relayed may rest on witnesses: without them it is a claim, and any other refusal is wrong', () => {
  const { failed, claimed } = refusedFor('not_relayable')
  expect(failed).toEqual([])
  expect(claimed).toContain('1 verdicts cannot be recomputed from the bundle')
  expect(refusedFor('signature_invalid').failed).toHaveLength(1)
})
