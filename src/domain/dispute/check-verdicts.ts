import type { DisputeBundle } from '../../schemas/dispute/bundle.ts'
import { marketRules } from '../catalog/market-rules.ts'
import { judge, VERDICT_STATES } from '../verdict/verdict.ts'
import { changeOf } from './bundle-change.ts'
import type { Findings } from './findings.ts'

/**
 * Recomputes the verdicts from the evidence. Left out: those on another wrapper, or made while the
 * node was unavailable, and the state of an order that was withdrawn.
 */
export function checkVerdicts(bundle: DisputeBundle, findings: Findings): void {
  const { changes, order, artifact } = bundle
  const claim = { ...order.claim, artifact: artifact.psbt ?? '' }
  const market = marketRules(claim.protocolId)
  const given = changes.map(changeOf).filter(({ kind, evidence }) => kind !== 'noted' && evidence)
  const judged = given.filter(
    ({ evidence, toState }) =>
      VERDICT_STATES.some((state) => state === toState) &&
      evidence?.node.status === 'ready' &&
      evidence.node.signatures.some(({ digest }) => digest === artifact.digest),
  )
  const differing = judged.filter(({ evidence, toState, reason }) => {
    if (!evidence) return false
    // While the index is unavailable its earlier answer counts: the order keeps only the last one.
    const verdicts = [null, order.indexProof].map((indexProof) =>
      judge({ claim, evidence, market, indexProof }),
    )
    return !verdicts.some((verdict) => verdict.state === toState && verdict.reason === reason)
  })
  findings.weigh(
    differing.length === 0,
    findings.isOrderProved,
    `${judged.length} verdicts follow from their evidence by the rules of this release`,
  )
  if (judged.length < given.length)
    findings.claimed.push(
      `${given.length - judged.length} verdicts cannot be recomputed from the bundle`,
    )
  findings.claimed.push('what node and index answered, beyond what is proved here')
}
