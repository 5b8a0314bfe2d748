import { fundingIndex } from '../domain/verdict/funding.ts'
import type { FullNode } from '../ports/authorities/full-node.ts'
import type { SignatureChecker, SignatureQuestion } from '../ports/authorities/signature-checker.ts'
import type { OutputEvidence, SignatureEvidence } from '../schemas/evidence.ts'
import type { OfferClaim } from '../schemas/order-record.ts'
import type { SignatureStatus, TxOut } from '../schemas/scalars.ts'

export interface SigningAuthorities {
  node: FullNode
  signatures: Pick<SignatureChecker, 'check'>
}

type CheckedSignatures = Omit<SignatureEvidence, 'digest'>

/** Is the ask signed against the prevout that the node named? */
export async function askAskSignature(
  authorities: SigningAuthorities,
  { artifact, inspection, offer }: OfferClaim,
  prevout: TxOut,
): Promise<SignatureEvidence> {
  const inputs = Array.from({ length: inspection.inputCount })
  const prevouts = inputs.map((_, at) => (at === offer.sellerIndex ? prevout : null))
  const question = { psbt: artifact, inputIndex: offer.sellerIndex, prevouts }
  return { digest: inspection.digest, ...(await check(authorities, question)) }
}

/**
 * Is every input of a bid except the offered one signed against the node's prevouts? A signature
 * for the whole transaction (BIP341) commits to every prevout, so all must be there.
 */
export async function askBidSignatures(
  authorities: SigningAuthorities,
  { artifact, inspection, offer }: OfferClaim,
  prevout: TxOut,
  funding: readonly OutputEvidence[],
): Promise<{ evidence: SignatureEvidence; inputs: SignatureStatus[] }> {
  const known = funding.map((output) => (output.status === 'unspent' ? output.output : null))
  const { sellerIndex } = offer
  const prevouts = [...known.slice(0, sellerIndex), prevout, ...known.slice(sellerIndex)]
  const checked = await Promise.all(
    funding.map((_, at) =>
      check(authorities, { psbt: artifact, inputIndex: fundingIndex(offer, at), prevouts }),
    ),
  )
  const worst = checked.find(({ status }) => status !== 'VALID') ??
    checked.find(({ by }) => by === 'node') ??
    checked[0] ?? { status: 'NONE', reason: 'signature_invalid', by: 'none' }
  return {
    evidence: { digest: inspection.digest, ...worst },
    inputs: checked.map(({ status }) => status),
  }
}

/**
 * Are the signatures of a bid already wrong against the prevouts in its own PSBT? Then either the
 * signatures or those prevouts are wrong: no node needs to be asked which. Null: they may be right.
 */
export async function refutedBid(
  { signatures }: Pick<SigningAuthorities, 'signatures'>,
  { artifact, inspection, offer }: OfferClaim,
): Promise<SignatureEvidence | null> {
  const prevouts = inspection.inputWitnessUtxos
  const isComplete = prevouts.length === inspection.inputCount && !prevouts.includes(null)
  if (!isComplete) return null
  const { digest } = inspection
  // One after the other: an input whose scripts exceed the bound is the last that is tried.
  for (const at of offer.funding.keys()) {
    const inputIndex = fundingIndex(offer, at)
    const answer = await signatures.check({ psbt: artifact, inputIndex, prevouts })
    if (answer.status === 'beyond-bound') return { digest, ...BEYOND_BOUND }
    if (answer.status === 'none') return { digest, ...UNSIGNED }
    if (answer.status === 'invalid') {
      return { digest, status: 'INVALID', reason: answer.reason, by: 'local' }
    }
  }
  return null
}

const UNSIGNED: CheckedSignatures = { status: 'NONE', reason: 'signature_invalid', by: 'none' }
const BEYOND_BOUND: CheckedSignatures = {
  status: 'UNAVAILABLE',
  reason: 'signature_beyond_bound',
  by: 'local',
}

async function check(
  { signatures, node }: SigningAuthorities,
  question: SignatureQuestion,
): Promise<CheckedSignatures> {
  const answer = await signatures.check(question)
  switch (answer.status) {
    case 'valid':
      return { status: 'VALID', reason: null, by: 'local' }
    case 'invalid':
      return { status: 'INVALID', reason: answer.reason, by: 'local' }
    case 'none':
      return UNSIGNED
    case 'no-ask': {
      const status = answer.isValid ? 'VALID' : 'UNAVAILABLE'
      return { status, reason: 'sighash_not_single_anyonecanpay', by: 'local' }
    }
    case 'beyond-bound':
      return BEYOND_BOUND
    case 'unverifiable':
      return { status: 'UNAVAILABLE', reason: 'signature_unverifiable', by: 'none' }
    case 'ask-node': {
      const isFinal = await node.inputIsFinal(answer.psbt, answer.inputIndex)
      const reason = isFinal ? answer.flaw : 'signature_invalid'
      return { status: reason === null ? 'VALID' : 'INVALID', reason, by: 'node' }
    }
  }
}
