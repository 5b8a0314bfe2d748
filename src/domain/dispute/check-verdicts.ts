import type { BundledChange, DisputeBundle } from '../../schemas/dispute/bundle.ts'
import type { IndexEvidence } from '../../schemas/evidence.ts'
import type { ChangeRecord } from '../../schemas/log.ts'
import type { OfferClaim } from '../../schemas/order-record.ts'
import { marketRules } from '../catalog/market-rules.ts'
import type { ReasonOf } from '../reasons/reasons.ts'
import { judge, VERDICT_STATES } from '../verdict/verdict.ts'
import { changeOf } from './bundle-change.ts'
import type { Findings } from './findings.ts'

/**
 * Recomputes the verdicts from the evidence. Left out: those whose wrapper is not known or not in the
 * evidence, or made while the node was unavailable, and the state of an order that was withdrawn.
 */
export function checkVerdicts(bundle: DisputeBundle, findings: Findings): void {
  const given = bundle.changes.flatMap((change, at) => {
    const { kind, evidence } = changeOf(change)
    return kind !== 'noted' && evidence ? [at] : []
  })
  const judged = given.map((at) => isGivenAgain(bundle, at)).filter((is) => is !== null)
  findings.weigh(
    judged.every((isSame) => isSame),
    findings.isOrderProved,
    `${judged.length} verdicts follow from their evidence by the rules of this release`,
  )
  if (judged.length < given.length)
    findings.claimed.push(
      `${given.length - judged.length} verdicts cannot be recomputed from the bundle`,
    )
  findings.claimed.push('what node and index answered, beyond what is proved here')
}

const NOT_RELAYABLE: ReasonOf<'REJECTED'> = 'not_relayable'

/** Does the change's verdict follow from its evidence? Null if the bundle cannot say. */
function isGivenAgain(bundle: DisputeBundle, at: number): boolean | null {
  const { evidence, toState, reason } = changeOf(bundle.changes[at] as BundledChange)
  if (!VERDICT_STATES.some((state) => state === toState)) return null
  if (evidence?.node.status !== 'ready') return null
  const claim = claimAfter(bundle, at)
  const isExamined = evidence.node.signatures.some(
    ({ digest }) => digest === claim?.inspection.digest,
  )
  if (!claim || !isExamined) return null
  const market = marketRules(claim.protocolId)
  const judgeBy = (indexProof: IndexEvidence | null) => {
    const verdict = judge({ claim, evidence, market, indexProof })
    return { ...verdict, isSame: verdict.state === toState && verdict.reason === reason }
  }
  const alone = judgeBy(null)
  if (alone.isSame) return true
  // Its size is read from its witnesses.
  if (claim.artifact === '' && reason === NOT_RELAYABLE) return null
  // While the index is unavailable its earlier answer counts.
  const proof = indexProofBefore(bundle, at)
  if (proof) return judgeBy(proof.value).isSame
  return alone.restsOnIndex && alone.state === 'PENDING_ASSET' ? null : false
}

/** The wrapper that the change left the order with; null: not known. */
function claimAfter({ changes, order, artifact }: DisputeBundle, at: number): OfferClaim | null {
  const last = { ...order.claim, artifact: artifact.psbt ?? '' }
  return valueAfter(changes, at, ({ set }) => set.kept, last)?.value ?? null
}

/** The answer of the index that the order rested on before the change; null: not known. */
const indexProofBefore = ({ changes, order }: DisputeBundle, at: number) =>
  valueAfter<IndexEvidence | null>(changes, at - 1, ({ set }) => set.indexProof, order.indexProof)

/**
 * The value of a field after a change: of the last change that set it, or `last`, the order's own, if
 * no later change set it. Null if a withheld change may have.
 */
function valueAfter<T>(
  changes: readonly BundledChange[],
  at: number,
  setBy: (record: ChangeRecord) => T | undefined,
  last: T,
): { value: T } | null {
  for (const change of changes.slice(0, at + 1).toReversed()) {
    if (!('record' in change)) break
    const value = setBy(change.record)
    if (value !== undefined) return { value }
  }
  const isUnset = changes
    .slice(at + 1)
    .every((change) => 'record' in change && setBy(change.record) === undefined)
  return isUnset ? { value: last } : null
}
