import type { BundledChange, WhyWithheld, WithheldChange } from '../../schemas/dispute/bundle.ts'
import type { ChangeRecord } from '../../schemas/log.ts'
import type { OfferClaim } from '../../schemas/order-record.ts'

export interface Release {
  /** An operator gets everything. */
  isOperator: boolean
  /** The artifact that the bundle releases; null: none. */
  artifact: string | null
}

/** Most characters of all changes in a bundle; the newest changes are included first. */
export const MAX_BUNDLED = 4_194_304

/** The changes of an order as a bundle has them: each is whole if that is allowed and fits. */
export function bundleChanges(records: readonly ChangeRecord[], release: Release): BundledChange[] {
  let left = MAX_BUNDLED
  const newestFirst = records.toReversed().map((record): BundledChange => {
    const why = release.isOperator ? null : withheldOf(record, release.artifact)
    const whole = { record }
    const bare = (withheld: WhyWithheld) => bareChange(record, withheld)
    const forms = [why === null ? whole : bare(why), bare('size'), withoutEvidence(bare('size'))]
    const [form = whole, size = 0] = forms
      .map((one) => [one, JSON.stringify(one).length] as const)
      .find(([, size]) => size <= left) ?? [forms.at(-1), 0]
    left -= size
    return form
  })
  return newestFirst.reverse()
}

function withheldOf({ set, operator }: ChangeRecord, released: string | null): WhyWithheld | null {
  if (operator !== undefined || set.hidden !== undefined) return 'operator'
  const claims: OfferClaim[] = [...(set.kept ? [set.kept] : []), ...(set.claims ?? [])]
  return claims.every(({ artifact }) => artifact === released) ? null : 'artifact'
}

const bareChange = (record: ChangeRecord, withheld: WhyWithheld): WithheldChange => ({
  withheld,
  seq: record.seq,
  kind: record.kind,
  fromState: record.fromState,
  toState: record.toState,
  reason: record.reason,
  actor: record.actor,
  observedAt: record.observedAt,
  evidence: record.evidence,
  prevHash: record.prevHash,
  hash: record.hash,
})

const withoutEvidence = (change: WithheldChange): WithheldChange => ({ ...change, evidence: null })

/** The fields that every bundled change has, whole or not. */
export const changeOf = (change: BundledChange): Omit<WithheldChange, 'withheld'> =>
  'record' in change ? change.record : change
