import type { DisputeBundle } from '../../schemas/dispute/bundle.ts'
import type { Findings } from './findings.ts'
import type { OwnerSignature } from './owner-signature.ts'

/**
 * Why the bundle alone does not prove that there was an order; null: it does, since the owner's
 * signature in it verifies against outputs that it proves. Without that, terms and evidence can be
 * written for any output that any transaction ever spent, and all of them agree with it.
 */
export function whyOrderUnproved(
  { artifact }: Pick<DisputeBundle, 'artifact'>,
  signature: OwnerSignature | null,
): string | null {
  if (artifact.psbt === null) return 'the artifact with its signature is withheld'
  if (!signature) return 'the artifact cannot be read'
  const { status, isOfTransaction, unproved } = signature
  switch (status) {
    case 'VALID':
      return isOfTransaction
        ? 'its signature is of all inputs and outputs: of a transaction, and no ask'
        : null
    case 'ask-node':
      return 'only a node can run the script of its signature'
    case 'INVALID':
    case 'NONE':
      if (!unproved) return `its signature is ${status} for the output that the bundle proves`
      break
    case 'UNAVAILABLE':
      if (!unproved) return 'nothing here can judge its signature'
  }
  return `its signature is for output ${unproved.outpoint}, and no transaction here made that`
}

/** Without more, only a known service that signs the bundle answers for the order. */
export function weighOrder(
  bundle: DisputeBundle,
  signature: OwnerSignature | null,
  findings: Findings,
): void {
  const lack = whyOrderUnproved(bundle, signature)
  findings.isOrderProved = lack === null || findings.isSigned
  if (lack !== null) findings.claimed.push(`that the order existed: ${lack}`)
}
