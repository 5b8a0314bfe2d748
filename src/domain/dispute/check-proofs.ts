import type { DisputeBundle, TransactionProof } from '../../schemas/dispute/bundle.ts'
import type { Evidence } from '../../schemas/evidence.ts'
import type { BlockRef, TxOut } from '../../schemas/scalars.ts'
import { bareTransaction, openTransaction, withoutWitnesses } from '../chain/bare-transaction.ts'
import { displayHash } from '../chain/hash256.ts'
import { parseOutpoint } from '../chain/outpoint.ts'
import { spendOf } from '../chain/spend.ts'
import { canonicalJson } from '../json/canonical-json.ts'
import { isExactPayout } from '../verdict/payout.ts'
import { type HeaderFields, readHeader } from './block-header.ts'
import { hasProofOfWork, ORDERS_SINCE, provesBlocks, workOf } from './block-work.ts'
import { changeOf } from './bundle-change.ts'
import type { Findings } from './findings.ts'
import { readMerkleProof } from './merkle-proof.ts'

/** An inner node of a Merkle tree could be shown as a transaction of 64 bytes (CVE-2017-12842). */
const AMBIGUOUS_BYTES = 64

/**
 * Checks that the offered output and its spend are in blocks with proof of work, as the order says.
 */
export function checkProofs(bundle: DisputeBundle, findings: Findings): void {
  checkOutput(bundle, findings)
  checkSpend(bundle, findings)
  checkHeaders(bundle, findings)
}

function checkOutput(bundle: DisputeBundle, findings: Findings): void {
  const { proofs, order } = bundle
  const { txid, vout } = parseOutpoint(order.outpoint)
  if (proofs.output === null) {
    findings.claimed.push('the offered output: the bundle has no proof of its transaction')
    return
  }
  const proof = proofs.output
  if (!checkInclusion(bundle, proof, findings)) return
  const isNamed =
    proof.txid === txid && canonicalJson(proof.block) === canonicalJson(order.outputBlock)
  findings.weigh(
    isNamed,
    findings.isOrderProved && provesBlocks(bundle.network),
    `transaction ${txid} made the offered output in the order's block`,
  )
  const transaction = openTransaction(bareTransaction({ txid, hex: proof.transaction }))
  if (!findings.expect(vout < transaction.outputs, 'the transaction has the offered output')) return
  const output = transaction.output(vout)
  const stated = statedOutputs(bundle)
  findings.require(
    stated.every((one) => canonicalJson(one) === canonicalJson(output)),
    `the offered output has ${output.valueSats} sats and its script, as evidence says`,
  )
  findings.expect(
    evidenceOf(bundle).every(({ node }) => {
      if (node.status !== 'ready' || node.output.status === 'missing') return true
      const { block } = node.output
      return (
        block === null || block.hash !== proof.block.hash || block.height === proof.block.height
      )
    }),
    'evidence has the same height for the block of the offered output',
  )
}

function checkSpend(bundle: DisputeBundle, findings: Findings): void {
  const { proofs, order } = bundle
  const { spend, settlement, claim, state } = order
  findings.expect(
    settlement === null || settlement.txid === spend?.txid,
    'the settlement is the spend of the order',
  )
  const isExact = spend !== null && isExactPayout(claim.offer, spend)
  findings.expect(
    state !== 'SETTLED' || (isExact && settlement !== null && spend?.block !== null),
    'a settled order has a spend in a block that pays exactly what was asked',
  )
  findings.expect(settlement === null || isExact, 'a settlement pays exactly what was asked')
  if (proofs.spend === null) {
    if (spend) findings.claimed.push(`the spend by ${spend.txid}: the bundle has no proof of it`)
    return
  }
  const proof = proofs.spend
  const header = checkInclusion(bundle, proof, findings, ORDERS_SINCE)
  if (!header) return
  const bare = bareTransaction({ txid: proof.txid, hex: proof.transaction })
  const block = { ...proof.block, time: header.time }
  const found = spendOf(openTransaction(bare), parseOutpoint(order.outpoint), block)
  const isOfOrder = findings.isOrderProved
  findings.weigh(
    found !== null && canonicalJson(found) === canonicalJson(spend),
    provesBlocks(bundle.network),
    isOfOrder
      ? `transaction ${proof.txid} spent the offered output in that block, as the order says`
      : `transaction ${proof.txid} spent output ${order.outpoint} in that block`,
  )
  if (isExact)
    findings.weigh(
      found !== null && isExactPayout(claim.offer, found),
      isOfOrder,
      isOfOrder
        ? 'it pays exactly what the order asked'
        : 'a transaction paid this: that an order existed is only claimed',
    )
}

/** The header of the block; null unless the transaction is in it and it has its proof of work. */
function checkInclusion(
  { network }: DisputeBundle,
  { txid, block, transaction, proof }: TransactionProof,
  findings: Findings,
  since = 0,
): HeaderFields | null {
  const read = tried(() => readMerkleProof(Buffer.from(proof, 'hex')))
  const bytes = tried(() => Buffer.from(withoutWitnesses(transaction)))
  const holds =
    read !== null &&
    bytes !== null &&
    bytes.toString('hex') === transaction &&
    bytes.length !== AMBIGUOUS_BYTES &&
    displayHash(bytes) === txid &&
    read.txids.includes(txid) &&
    read.header.hash === block.hash &&
    hasProofOfWork(read.header, network, since)
  const work = read ? workOf(read.header) : 0
  // What an old block took is little by now.
  const age =
    read && read.header.time < ORDERS_SINCE
      ? ` of ${new Date(read.header.time * 1_000).getUTCFullYear()}`
      : ''
  const fact = `transaction ${txid} is in block ${block.hash}${age}, whose header took about 2^${work} hashes`
  return findings.weigh(holds, provesBlocks(network), fact) ? (read?.header ?? null) : null
}

function checkHeaders(bundle: DisputeBundle, findings: Findings): void {
  const { proofs, network } = bundle
  const named = new Set(blocksNamed(bundle).map(({ hash }) => hash))
  const sound = proofs.headers.every(({ hash, header }) => {
    const read = tried(() => readHeader(Buffer.from(header, 'hex')))
    return named.has(hash) && read?.hash === hash && hasProofOfWork(read, network, ORDERS_SINCE)
  })
  const hashes = proofs.headers.map(({ hash }) => hash)
  const isSorted = hashes.every((hash, index) => index === 0 || (hashes[index - 1] ?? '') < hash)
  findings.weigh(
    sound && isSorted,
    provesBlocks(network),
    `${hashes.length} headers are of blocks that evidence names, and have their proof of work`,
  )
  const without = named.size - hashes.length
  if (without > 0)
    findings.claimed.push(`${without} blocks that evidence names have no header here`)
  findings.claimed.push('that these blocks are on the best chain, and their heights')
  const heights = new Map<string, number>()
  const isOneHeight = blocksNamed(bundle).every(({ hash, height }) => {
    const known = heights.get(hash) ?? height
    heights.set(hash, known)
    return known === height
  })
  findings.expect(isOneHeight, 'a block has one height wherever it is named')
}

/** Every block that evidence names as a tip. */
export const blocksNamed = (bundle: Pick<DisputeBundle, 'changes'>): BlockRef[] =>
  evidenceOf(bundle).flatMap(({ node, index }) => [
    ...(node.status === 'ready' ? [node.tip] : []),
    ...(index.status === 'ready' ? [index.at] : []),
  ])

const evidenceOf = ({ changes }: Pick<DisputeBundle, 'changes'>): Evidence[] =>
  changes.flatMap((change) => changeOf(change).evidence ?? [])

/** The offered output as each piece of evidence has it. */
export const statedOutputs = (bundle: DisputeBundle): TxOut[] =>
  evidenceOf(bundle).flatMap(({ node }) =>
    node.status === 'ready' && node.output.status !== 'missing' ? (node.output.output ?? []) : [],
  )

/** Null if the bytes are cut short or malformed. */
function tried<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
