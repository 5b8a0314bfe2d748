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
import { fundingIndex } from '../verdict/funding.ts'
import { type Inspected, inspectPsbt } from '../verdict/inspect.ts'
import { unprovedInspection } from '../verdict/proved-class.ts'
import { judgeSignature, type SignatureAnswer } from '../verdict/signatures.ts'
import { changeOf } from './bundle-change.ts'
import type { Findings } from './findings.ts'

/**
 * Checks that the order's id names what the artifact authorises, and that its signature is as the
 * evidence says. Without the artifact, the id is checked against the terms in the bundle.
 */
export function checkArtifact(bundle: DisputeBundle, ecc: Ecc, findings: Findings): void {
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
  checkSignature(bundle, artifact.psbt, ecc, findings)
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

/** The latest evidence of the artifact's signature, judged again against the prevouts it names. */
function checkSignature(
  { changes, order, artifact }: DisputeBundle,
  psbt: string,
  ecc: Ecc,
  findings: Findings,
): void {
  const { offer, inspection } = order.claim
  const found = changes.map(changeOf).findLast(({ evidence }) => {
    const node = evidence?.node
    return (
      node?.status === 'ready' &&
      node.output.status !== 'missing' &&
      node.output.output !== null &&
      node.signatures.some(({ digest }) => digest === artifact.digest)
    )
  })
  const node = found?.evidence?.node
  if (node?.status !== 'ready' || node.output.status === 'missing') {
    findings.claimed.push('no evidence has a signature of this artifact with its prevout')
    return
  }
  const said = node.signatures.find(({ digest }) => digest === artifact.digest)
  const own = node.output.output
  const funding = node.funding.map(({ output }) =>
    output.status === 'unspent' ? output.output : null,
  )
  const isBid = offer.side === 'BID'
  const prevouts: (TxOut | null)[] = isBid
    ? [...funding.slice(0, offer.sellerIndex), own, ...funding.slice(offer.sellerIndex)]
    : inspection.inputOutpoints.map((_, at) => (at === offer.sellerIndex ? own : null))
  const signed = isBid ? offer.funding.map((_, at) => fundingIndex(offer, at)) : [offer.sellerIndex]
  const answers = signed.map((inputIndex) => judgeSignature({ psbt, inputIndex, prevouts }, ecc))
  const asked = answers.some(({ status }) => status === 'ask-node')
  const judged = statusOf(answers)
  if (asked || judged === 'UNAVAILABLE') {
    findings.claimed.push(`that the signature is ${said?.status}: only a node can run its script`)
    return
  }
  findings.require(
    judged === said?.status && (inspection.signatureStatus === judged || judged !== 'VALID'),
    `the signature of the artifact is ${said?.status} for its prevout`,
  )
}

function statusOf(answers: readonly SignatureAnswer[]) {
  const isValid = (answer: SignatureAnswer) =>
    answer.status === 'valid' || (answer.status === 'no-ask' && answer.isValid)
  const worst = answers.find((answer) => !isValid(answer))?.status ?? 'valid'
  const statuses = {
    valid: 'VALID',
    invalid: 'INVALID',
    none: 'NONE',
    unverifiable: 'UNAVAILABLE',
    'no-ask': 'UNAVAILABLE',
    'beyond-bound': 'UNAVAILABLE',
    'ask-node': 'UNAVAILABLE',
  } as const
  return statuses[worst]
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
