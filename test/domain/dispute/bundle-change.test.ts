import { expect, test } from 'vitest'
import { bundleChanges, changeOf, MAX_BUNDLED } from '../../../src/domain/dispute/bundle-change.ts'
import { DisputeBundle } from '../../../src/schemas/dispute/bundle.ts'
import type { ChangeRecord } from '../../../src/schemas/log.ts'
import { vectorText } from '../../support/vectors.ts'

const WHOLE = DisputeBundle.parse(JSON.parse(vectorText('dispute-settled-operator.json')))
const RECORDS = WHOLE.changes.flatMap((change) => ('record' in change ? [change.record] : []))
const ARTIFACT = WHOLE.artifact.psbt
const why = (records: readonly ChangeRecord[], artifact: string | null, isOperator = false) =>
  bundleChanges(records, { isOperator, artifact }).map((change) =>
    'record' in change ? null : change.withheld,
  )

test('a change is complete if it has no artifact except the released one', () => {
  expect(why(RECORDS, ARTIFACT).every((reason) => reason === null)).toBe(true)
  expect(why(RECORDS, null)[0]).toBe('artifact')
  expect(why(RECORDS, 'cHNidP8=')[0]).toBe('artifact')
  expect(why(RECORDS, null, true).every((reason) => reason === null)).toBe(true)
  const [first] = RECORDS
  const waiting = { ...first!.set.kept!, artifact: 'cHNidP8=' }
  expect(why([{ ...first!, set: { claims: [waiting] } }], ARTIFACT)).toEqual(['artifact'])
})

test('an operator’s acts and reasons are withheld from the public', () => {
  const last = RECORDS.at(-1)!
  expect(why([{ ...last, operator: 'mia' }], null)).toEqual(['operator'])
  const hidden = { hiddenAt: last.observedAt, reason: 'words' }
  expect(why([{ ...last, set: { hidden } }], null)).toEqual(['operator'])
  expect(why([{ ...last, operator: 'mia' }], null, true)).toEqual([null])
})

test('beyond the total bound the newest are complete, then bare, then without evidence', () => {
  const last = RECORDS.findLast(({ evidence }) => evidence !== null)!
  const heavy = (seq: number, words: number): ChangeRecord => ({
    ...last,
    seq,
    set: { notes: ['x'.repeat(words)] },
  })
  const half = MAX_BUNDLED / 2 - 10_000
  const changes = bundleChanges([heavy(1, half), heavy(2, half), heavy(3, half)], {
    isOperator: true,
    artifact: null,
  })
  expect(changes.map((change) => 'record' in change)).toEqual([false, true, true])
  expect(changes.map((change) => changeOf(change).seq)).toEqual([1, 2, 3])
  expect(changeOf(changes[0]!).evidence).toEqual(last.evidence)
  expect(JSON.stringify(changes).length).toBeLessThan(MAX_BUNDLED + 1_000)
  const room = MAX_BUNDLED - JSON.stringify({ record: heavy(2, 0) }).length - 500
  const full = bundleChanges([heavy(1, 10), heavy(2, room)], {
    isOperator: true,
    artifact: null,
  })
  expect(full.map((change) => changeOf(change).evidence === null)).toEqual([true, false])
})
