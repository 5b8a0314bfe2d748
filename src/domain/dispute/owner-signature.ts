import type { DisputeBundle } from '../../schemas/dispute/bundle.ts'
import type { SignatureStatus, TxOut } from '../../schemas/scalars.ts'
import { ORDER_LIMITS } from '../psbt/psbt-limits.ts'
import { PsbtRefusedError } from '../psbt/psbt-refused.ts'
import { decodePsbtText } from '../psbt/psbt-text.ts'
import { reopenPsbt } from '../psbt/read-psbt.ts'
import type { Ecc } from '../script/ecc.ts'
import { fundingIndex } from '../verdict/funding.ts'
import { judgeSignature, type SignatureAnswer } from '../verdict/signatures.ts'
import { type ProvedPrevout, provedPrevouts } from './proved-outputs.ts'

/** `ask-node`: only a node can run its script. */
export type JudgedStatus = SignatureStatus | 'ask-node'

export interface OwnerSignature {
  status: JudgedStatus
  /** It is of all inputs and outputs: valid, and of a transaction that is no ask. */
  isOfTransaction: boolean
  /** A signed input whose output the bundle does not prove; null: none. */
  unproved: ProvedPrevout | null
}

/**
 * The signature of the artifact, judged against the outputs that the bundle proves: of an ask that of the
 * offered output's owner, of a bid those for all that it is paid with. Null: there is no artifact,
 * or none that can be read.
 */
export function ownerSignature(bundle: DisputeBundle, ecc: Ecc): OwnerSignature | null {
  const { psbt } = bundle.artifact
  if (psbt === null) return null
  try {
    const proved = provedPrevouts(
      bundle,
      reopenPsbt(decodePsbtText(psbt, ORDER_LIMITS.bytes), ORDER_LIMITS),
    )
    const prevouts = proved.map(({ output }) => output)
    const answers = answersOf(bundle, prevouts, ecc)
    const unproved = signedInputs(bundle).map((at) => proved[at])
    return {
      status: worstOf(answers),
      isOfTransaction: answers.some(({ status }) => status === 'no-ask'),
      unproved: unproved.find((one) => one?.output === null) ?? null,
    }
  } catch (error) {
    if (error instanceof PsbtRefusedError) return null
    throw error
  }
}

/**
 * The worst of what is said of the artifact's signatures, against these outputs by input index.
 *
 * @throws PsbtRefusedError for text that is not an order's wrapper
 */
export const judgeArtifact = (
  bundle: DisputeBundle,
  prevouts: readonly (TxOut | null)[],
  ecc: Ecc,
): JudgedStatus => worstOf(answersOf(bundle, prevouts, ecc))

const answersOf = (
  bundle: DisputeBundle,
  prevouts: readonly (TxOut | null)[],
  ecc: Ecc,
): SignatureAnswer[] =>
  signedInputs(bundle).map((inputIndex) =>
    judgeSignature({ psbt: bundle.artifact.psbt ?? '', inputIndex, prevouts }, ecc),
  )

function worstOf(answers: readonly SignatureAnswer[]): JudgedStatus {
  const worst = answers.find((answer) => !isValid(answer))?.status
  return worst === undefined ? (answers.length > 0 ? 'VALID' : 'NONE') : STATUSES[worst]
}

function signedInputs({ order }: DisputeBundle): number[] {
  const { offer } = order.claim
  return offer.side === 'BID'
    ? offer.funding.map((_, at) => fundingIndex(offer, at))
    : [offer.sellerIndex]
}

const isValid = (answer: SignatureAnswer): boolean =>
  answer.status === 'valid' || (answer.status === 'no-ask' && answer.isValid)

const STATUSES = {
  valid: 'VALID',
  invalid: 'INVALID',
  none: 'NONE',
  unverifiable: 'UNAVAILABLE',
  'no-ask': 'UNAVAILABLE',
  'beyond-bound': 'UNAVAILABLE',
  'ask-node': 'ask-node',
} as const
