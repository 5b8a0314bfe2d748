import type { BundledChange, DisputeBundle } from '../../schemas/dispute/bundle.ts'
import type { WithdrawalProof } from '../../schemas/log.ts'
import { judgeProof } from '../bip322/judge-proof.ts'
import { signatureFault, withdrawalQuestion } from '../purchase/withdrawal-proof.ts'
import type { Ecc } from '../script/ecc.ts'
import { changeOf } from './bundle-change.ts'
import { statedOutputs } from './check-proofs.ts'
import type { Findings } from './findings.ts'
import { provedOutput } from './proved-outputs.ts'

/** Verifies again who withdrew the order: its seller by a signature, or an operator. */
export function checkWithdrawal(bundle: DisputeBundle, ecc: Ecc, findings: Findings): void {
  for (const change of bundle.changes) {
    const { kind, reason } = changeOf(change)
    if (kind !== 'transition') continue
    if (reason === 'withdrawn_by_operator')
      findings.claimed.push(`${operatorOf(change)} withdrew it`)
    if (reason === 'withdrawn_by_seller') checkSeller(bundle, change, ecc, findings)
  }
}

const operatorOf = (change: BundledChange): string =>
  'record' in change ? `operator ${change.record.operator}` : 'an operator, whose name is withheld,'

function checkSeller(
  bundle: DisputeBundle,
  change: BundledChange,
  ecc: Ecc,
  findings: Findings,
): void {
  if (!('record' in change)) {
    findings.claimed.push('that the seller withdrew it: the change with the proof is withheld')
    return
  }
  const { proof } = change.record
  if (findings.expect(proof !== undefined, "the seller's withdrawal has a proof") && proof)
    checkProof(bundle, proof, ecc, findings)
}

function checkProof(
  bundle: DisputeBundle,
  proof: WithdrawalProof,
  ecc: Ecc,
  findings: Findings,
): void {
  const { network, orderId: id, order } = bundle
  const proved = provedOutput(bundle)
  const output = proved ?? statedOutputs(bundle).at(0)
  const fact = `the owner of ${proof.address} signed that this order be withdrawn`
  if (!output) {
    findings.claimed.push(`${fact}: no evidence has the script of the offered output`)
    return
  }
  const { outpoint } = order
  const withdrawn = { id, network, outpoint, sellerScriptHex: output.scriptHex }
  const question = withdrawalQuestion(withdrawn, proof)
  const answer = 'reason' in question ? null : judgeProof(question, ecc)
  if (answer?.status === 'ask-node')
    findings.claimed.push(`${fact}: only a node can run its script`)
  else findings.weigh(answer !== null && signatureFault(answer) === null, proved !== null, fact)
}
