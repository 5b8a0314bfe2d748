import type { DisputeBundle } from '../../schemas/dispute/bundle.ts'
import type { Findings } from './findings.ts'

/**
 * Does the bundle have more of an order than its own words: the artifact that a seller signed, or a
 * whole change with the evidence that it was decided by? Without either, terms can be written for any
 * output that any transaction ever spent, and all of them agree with it.
 */
export const provesOrder = ({ artifact, changes }: DisputeBundle): boolean =>
  artifact.psbt !== null ||
  changes.some((change) => 'record' in change && change.record.evidence !== null)

/** Without more, only a known service that signs the bundle answers for the order. */
export function weighOrder(bundle: DisputeBundle, findings: Findings): void {
  const isBacked = provesOrder(bundle)
  findings.isOrderProved = isBacked || findings.isSigned
  if (!isBacked)
    findings.claimed.push(
      'that the order existed: the artifact is not here, nor a whole change with its evidence',
    )
}
