import { CLAIM_NOTES } from '../../../../src/domain/reasons/claim-notes.ts'
import { NOTED_REASONS } from '../../../../src/domain/reasons/noted-reasons.ts'
import { REASONS, REMARKS, SHOWN_REASONS } from '../../../../src/domain/reasons/reasons.ts'

const SAYS = new Map<string, string>([
  ...Object.entries(REASONS).map(([code, { says }]): [string, string] => [code, says]),
  ...Object.entries(REMARKS),
  ...Object.entries(SHOWN_REASONS),
  ...Object.entries(CLAIM_NOTES),
])

/**
 * Of changes that leave the state as it is: some have the code of a transition, but mean something
 * else.
 */
const NOTED_SAYS = new Map<string, string>(
  Object.values(NOTED_REASONS).map(({ reason, says }) => [reason, says]),
)

export interface SaidReason {
  code: string
  /** What follows the code: a txid, a height, a rune. */
  detail: string
  /** Null: a code of the inspection, or one that this page does not know. */
  says: string | null
}

/** A reason, and what it means, in the words of the service's own closed list. */
export function saidReason(reason: string, isNoted = false): SaidReason {
  const [code = '', ...rest] = reason.split(' ')
  return {
    code,
    detail: rest.join(' '),
    says: (isNoted ? NOTED_SAYS : SAYS).get(code) ?? SAYS.get(code) ?? null,
  }
}
