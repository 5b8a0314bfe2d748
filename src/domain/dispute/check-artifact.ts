import { Transaction } from 'bitcoinjs-lib'
import type { DisputeBundle } from '../../schemas/dispute/bundle.ts'
import type { PsbtInspection } from '../../schemas/order.ts'
import type { Offer } from '../../schemas/order-record.ts'
import type { Network, Txid, TxOut } from '../../schemas/scalars.ts'
import { transactionId } from '../chain/hash256.ts'
import { canonicalJson } from '../json/canonical-json.ts'
import { orderIdOf } from '../order/order-id.ts'
import { PsbtRefusedError } from '../psbt/psbt-refused.ts'
import type { Ecc } from '../script/ecc.ts'
import { bytesOf } from '../script/script-template.ts'
import { type Inspected, inspectPsbt } from '../verdict/inspect.ts'
import { unprovedInspection } from '../verdict/proved-class.ts'
import { changeOf } from './bundle-change.ts'
import type { Findings } from './findings.ts'
import { type JudgedStatus, judgeArtifact, type OwnerSignature } from './owner-signature.ts'

/**
 * Checks that the order's id names what the artifact authorises, and that its signature is as the
 * evidence says. Without the artifact, the id is checked against the terms in the bundle.
 */
export function checkArtifact(
  bundle: DisputeBundle,
  owner: OwnerSignature | null,
  ecc: Ecc,
  findings: Findings,
): void {
  const { artifact, order, orderId, network } = bundle
  const { claim, outpoint } = order
  findings.expect(
    artifact.digest === claim.inspection.digest,
    'the artifact has the digest that the order names',
  )
  findings.expect(
    (artifact.psbt === null) === (artifact.withheld !== null),
    'the artifact is present, or the bundle says why it is withheld',
  )
  findings.expect(claim.offer.outpoint === outpoint, 'the order offers its output')
  if (artifact.psbt === null) {
    checkTerms(bundle, findings)
    return
  }
  const inspected = inspect(artifact.psbt)
  if (!findings.expect(inspected !== null, 'the artifact is a PSBT') || !inspected) return
  // What the evidence proved of the signature, and of the class by it, is checked below.
  const { signatureStatus, orderClass, safety, reasons } = claim.inspection
  const isReclassed = orderClass === 'UNSUPPORTED' && inspected.inspection.orderClass !== orderClass
  const proved = isReclassed
    ? { signatureStatus, orderClass, safety, reasons }
    : { signatureStatus }
  const isSame =
    inspected.artifact === artifact.psbt &&
    inspected.digest === artifact.digest &&
    canonicalJson({ ...inspected.inspection, ...proved }) === canonicalJson(claim.inspection) &&
    canonicalJson(inspected.offer) === canonicalJson(claim.offer) &&
    canonicalJson(inspected.claimedPrevout) === canonicalJson(claim.claimedPrevout)
  findings.require(isSame, 'the artifact has its digest and the terms that the order claims')
  findings.require(
    idOf(network, inspected) === orderId,
    'the order id names what the artifact authorises',
  )
  checkSignature(bundle, owner, ecc, findings)
}

/**
 * Without the artifact: the terms must give the order's id, and fit what the order says of the
 * PSBT.
 */
function checkTerms(bundle: DisputeBundle, findings: Findings): void {
  const { artifact, order, orderId, network } = bundle
  const { claim } = order
  const { inspection, offer } = claim
  const unproved = unprovedInspection(inspection)
  const terms = { ...claim, inspection: unproved, artifact: '', digest: artifact.digest }
  findings.weigh(
    idOf(network, terms) === orderId,
    findings.isOrderProved,
    'the order id is that of the terms: outpoint, payout, version, locktime and sequence',
  )
  const counted =
    inspection.inputCount === inspection.inputOutpoints.length &&
    inspection.inputCount === offer.sequences.length &&
    inspection.outputCount === inspection.outputValuesSats.length &&
    inspection.outputCount === inspection.outputScriptsHex.length
  findings.expect(
    counted &&
      inspection.unsignedTxid === offer.unsignedTxid &&
      inspection.unsignedTxid === tried(() => unsignedTxidOf(inspection, offer)),
    'the inputs and outputs of the PSBT make its unsigned transaction',
  )
  findings.claimed.push('the artifact is withheld: that it is signed, and what else it says')
}

/** Null for terms that no transaction can have. */
const idOf = (network: Network, inspected: Inspected): string | null =>
  tried(() => orderIdOf(network, inspected))

/** Null if values of a bundle cannot be serialised: its schema does not bound them all. */
function tried<T>(make: () => T): T | null {
  try {
    return make()
  } catch {
    return null
  }
}

function inspect(psbt: string): Inspected | null {
  try {
    return inspectPsbt(psbt)
  } catch (error) {
    if (error instanceof PsbtRefusedError) return null
    throw error
  }
}

/**
 * The artifact's signature, judged again: against the outputs that the bundle proves, else against those
 * that its latest evidence names, which is then all that says so.
 */
function checkSignature(
  bundle: DisputeBundle,
  owner: OwnerSignature | null,
  ecc: Ecc,
  findings: Findings,
): void {
  const { signatureStatus } = bundle.order.claim.inspection
  const stated = statedSignature(bundle)
  const isAsSaid = (judged: JudgedStatus) =>
    stated
      ? judged === stated.said && (signatureStatus === judged || judged !== 'VALID')
      : judged === 'VALID' || signatureStatus !== 'VALID'
  if (owner && !owner.unproved && owner.status !== 'ask-node' && owner.status !== 'UNAVAILABLE') {
    const said = stated?.said ?? owner.status
    findings.require(
      isAsSaid(owner.status),
      `the signature of the artifact is ${said} for its prevout`,
    )
    return
  }
  if (!stated) {
    findings.claimed.push('no evidence has a signature of this artifact with its prevout')
    return
  }
  const { said, prevouts } = stated
  const judged = judgeArtifact(bundle, prevouts, ecc)
  if (judged === 'ask-node' || judged === 'UNAVAILABLE') {
    findings.claimed.push(`that the signature is ${said}: only a node can run its script`)
    return
  }
  const fact = `the signature of the artifact is ${said} for the prevouts that evidence names`
  if (findings.expect(isAsSaid(judged), fact)) findings.claimed.push(fact)
}

/** What the latest evidence says of the signature, and of what the inputs spend. */
function statedSignature({ changes, order, artifact }: DisputeBundle) {
  const { offer, inspection } = order.claim
  for (const change of changes.toReversed()) {
    const node = changeOf(change).evidence?.node
    if (node?.status !== 'ready' || node.output.status === 'missing') continue
    const said = node.signatures.find(({ digest }) => digest === artifact.digest)?.status
    const own = node.output.output
    if (said === undefined || own === null) continue
    const funding = node.funding.map(({ output }) =>
      output.status === 'unspent' ? output.output : null,
    )
    const prevouts: (TxOut | null)[] =
      offer.side === 'BID'
        ? [...funding.slice(0, offer.sellerIndex), own, ...funding.slice(offer.sellerIndex)]
        : inspection.inputOutpoints.map((_, at) => (at === offer.sellerIndex ? own : null))
    return { said, prevouts }
  }
  return null
}

/**
 * The txid of the unsigned transaction that an inspection describes.
 *
 * @throws TypeError, RangeError, Error no transaction has such parts
 */
function unsignedTxidOf(
  { inputOutpoints, outputValuesSats, outputScriptsHex }: PsbtInspection,
  { version, locktime, sequences }: Offer,
): Txid {
  const transaction = new Transaction()
  transaction.version = version
  transaction.locktime = locktime
  for (const [at, { txid, vout }] of inputOutpoints.entries())
    transaction.addInput(Buffer.from(txid, 'hex').reverse(), vout, sequences[at])
  for (const [at, value] of outputValuesSats.entries())
    transaction.addOutput(bytesOf(outputScriptsHex[at] ?? ''), BigInt(value))
  return transactionId(transaction)
}
