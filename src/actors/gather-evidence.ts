import { outpointText, parseOutpoint } from '../domain/outpoint.ts'
import { decodeTransaction, spendOf } from '../domain/transaction.ts'
import type { AssetIndex } from '../ports/asset-index.ts'
import { NodeUnavailable } from '../ports/authority-errors.ts'
import type { Clock } from '../ports/clock.ts'
import type { ChainStatus, FullNode, OutputAnswer } from '../ports/full-node.ts'
import type { SignatureChecker } from '../ports/signature-checker.ts'
import type {
  Evidence,
  NodeEvidence,
  OutputEvidence,
  SignatureEvidence,
  Spend,
} from '../schemas/evidence.ts'
import type { OfferClaim } from '../schemas/order-record.ts'
import type { Outpoint, SignatureStatus, TxOut } from '../schemas/scalars.ts'
import { askIndex } from './ask-index.ts'
import type { Question } from './question.ts'

/** BIP68: the relative lock counts 512 seconds, so the age of the output is asked in time. */
const SEQUENCE_LOCK_SECONDS = 0x00400000
const SEQUENCE_LOCK_DISABLED = 0x80000000
/** A spender may be replaced or mined between two questions: ask again, a few times. */
const RACES = 3

export interface Authorities {
  /** Null: not configured. */
  node: FullNode | null
  index: AssetIndex | null
  signatures: SignatureChecker
  clock: Clock
}

type Asked = Pick<Question, 'outpoint' | 'begunAt' | 'mempoolSequence' | 'claims' | 'knownSpend'>

/**
 * Asks node and index everything that the verdict on one order needs. An authority that is away is
 * an answer too; only a defect throws.
 */
export async function gatherEvidence(authorities: Authorities, asked: Asked): Promise<Evidence> {
  const { clock, node, index } = authorities
  const askedAt = new Date(clock.now()).toISOString()
  const nodeEvidence = await askNode(authorities, asked)
  const isThere = nodeEvidence.status === 'ready' && nodeEvidence.output.status === 'unspent'
  const indexEvidence = isThere
    ? await askIndex(node, index, parseOutpoint(asked.outpoint))
    : ({ status: 'unavailable', reason: 'asset_index_not_asked' } as const)
  return {
    begunAt: asked.begunAt,
    mempoolSequence: asked.mempoolSequence,
    askedAt,
    answeredAt: new Date(clock.now()).toISOString(),
    node: nodeEvidence,
    index: indexEvidence,
  }
}

async function askNode(authorities: Authorities, asked: Asked): Promise<NodeEvidence> {
  const { node, index } = authorities
  if (!node) return { status: 'unavailable', reason: 'node_unconfigured' }
  try {
    const chain = await node.chain()
    if (chain.initialBlockDownload) return { status: 'unavailable', reason: 'node_in_ibd' }
    if (!chain.mempoolLoaded) return { status: 'unavailable', reason: 'node_mempool_loading' }
    const output = await askOutput(node, index, parseOutpoint(asked.outpoint), asked)
    const prevout = output.status === 'missing' ? null : output.output
    const { height, hash, medianTime } = chain.tip
    return {
      status: 'ready',
      tip: { height, hash, medianTime },
      output: await withAge(node, chain, output, asked.claims),
      funding: prevout ? await askFunding(authorities, node, asked.claims, prevout) : [],
      signatures: prevout ? await checkSignatures(authorities, node, asked.claims, prevout) : [],
    }
  } catch (error) {
    if (error instanceof NodeUnavailable) return { status: 'unavailable', reason: error.reason }
    throw error
  }
}

// ---- the output --------------------------------------------------------------------------------

async function askOutput(
  node: FullNode,
  index: AssetIndex | null,
  outpoint: Outpoint,
  { knownSpend }: Pick<Asked, 'knownSpend'>,
): Promise<OutputEvidence> {
  for (let race = 0; race < RACES; race += 1) {
    const answer = await node.output(outpoint)
    if (answer.status === 'unspent') return unspent(node, answer)
    if (answer.status === 'absent') return absent(node, index, outpoint, knownSpend)
    const by = await mempoolSpend(node, outpoint)
    if (by) {
      const block = await blockOf(node, answer)
      return { status: 'spent', confirmed: false, output: answer.output, block, by }
    }
  }
  throw new NodeUnavailable(
    'node_unavailable',
    `the spender of ${outpointText(outpoint)} keeps changing`,
  )
}

type Present = Exclude<OutputAnswer, { status: 'absent' }>

async function unspent(node: FullNode, answer: Present): Promise<OutputEvidence> {
  const { output, coinbase } = answer
  const block = await blockOf(node, answer)
  return { status: 'unspent', output, coinbase, block, priorMedianTime: null }
}

async function blockOf(node: FullNode, { confirmations, bestBlock }: Present) {
  if (confirmations === 0) return null
  const best = await node.header(bestBlock)
  if (!best)
    throw new NodeUnavailable('node_unavailable', `the node lost its best block ${bestBlock}`)
  const height = best.height - confirmations + 1
  const hash = height === best.height ? bestBlock : await node.blockHash(height)
  if (!hash) throw new NodeUnavailable('node_unavailable', `the node has no block at ${height}`)
  return { height, hash }
}

async function mempoolSpend(node: FullNode, outpoint: Outpoint): Promise<Spend | null> {
  const [txid] = await node.mempoolSpenders([outpoint])
  if (!txid) return null
  const found = await node.transaction(txid)
  return found ? spendIn(found.hex, outpoint, null) : null
}

function spendIn(hex: string, outpoint: Outpoint, block: Spend['block']): Spend | null {
  const transaction = decodeTransaction(hex)
  const inputIndex = transaction.inputs.indexOf(outpointText(outpoint))
  return inputIndex < 0 ? null : spendOf(transaction, inputIndex, block)
}

/** `gettxout` cannot tell a spent output from one that never was: every other means is tried. */
async function absent(
  node: FullNode,
  index: AssetIndex | null,
  outpoint: Outpoint,
  knownSpend: Spend | null,
): Promise<OutputEvidence> {
  const spent = (by: Spend | null, output: TxOut | null = null): OutputEvidence => ({
    status: 'spent',
    confirmed: true,
    output,
    block: null,
    by,
  })
  const origin = await node.transaction(outpoint.txid)
  const output = origin ? (decodeTransaction(origin.hex).outputs[outpoint.vout] ?? null) : null
  const named = (await confirmedSpend(node, outpoint)) ?? (await stillSpent(node, knownSpend))
  if (named) return spent(named, output)
  if (output) return spent(null, output)
  return (await indexKnowsSpent(index, outpoint)) ? spent(null) : { status: 'missing' }
}

async function confirmedSpend(node: FullNode, outpoint: Outpoint): Promise<Spend | null> {
  const spender = await node.confirmedSpender(outpoint)
  if (!spender) return null
  const [found, header] = await Promise.all([
    node.transaction(spender.txid, spender.blockHash),
    node.header(spender.blockHash),
  ])
  if (!found || !header) return null
  return spendIn(found.hex, outpoint, {
    height: header.height,
    hash: header.hash,
    time: header.time,
  })
}

/** The spend that the order's own log holds, while its block stands. */
async function stillSpent(node: FullNode, known: Spend | null): Promise<Spend | null> {
  if (!known?.block) return null
  const header = await node.header(known.block.hash)
  return header?.onBestChain ? known : null
}

async function indexKnowsSpent(index: AssetIndex | null, outpoint: Outpoint): Promise<boolean> {
  if (!index) return false
  const [known] = await index.outputs([outpoint]).catch(() => [null])
  return known?.spent ?? false
}

async function withAge(
  node: FullNode,
  { tip }: ChainStatus,
  output: OutputEvidence,
  claims: readonly OfferClaim[],
): Promise<OutputEvidence> {
  const countsSeconds = claims.some(({ offer }) => {
    const sequence = offer.sequences[offer.sellerIndex] ?? SEQUENCE_LOCK_DISABLED
    return !(sequence & SEQUENCE_LOCK_DISABLED) && (sequence & SEQUENCE_LOCK_SECONDS) !== 0
  })
  if (output.status !== 'unspent' || !output.block || !countsSeconds) return output
  const prior = Math.min(Math.max(output.block.height - 1, 0), tip.height)
  const hash = await node.blockHash(prior)
  const header = hash ? await node.header(hash) : null
  return { ...output, priorMedianTime: header?.medianTime ?? null }
}

// ---- signatures --------------------------------------------------------------------------------

async function checkSignatures(
  { signatures }: Authorities,
  node: FullNode,
  claims: readonly OfferClaim[],
  prevout: TxOut,
): Promise<SignatureEvidence[]> {
  const asks = claims.filter(({ offer }) => offer.side === 'ASK')
  return Promise.all(
    asks.map(async ({ artifact, inspection, offer }): Promise<SignatureEvidence> => {
      const prevouts = Array.from({ length: inspection.inputCount }, (_, at) =>
        at === offer.sellerIndex ? prevout : null,
      )
      const question = { psbt: artifact, inputIndex: offer.sellerIndex, prevouts }
      return { digest: inspection.digest, ...(await checkOne(signatures, node, question)) }
    }),
  )
}

async function checkOne(
  signatures: SignatureChecker,
  node: FullNode,
  question: Parameters<SignatureChecker['check']>[0],
): Promise<Omit<SignatureEvidence, 'digest'>> {
  const answer = await signatures.check(question)
  if (answer.status === 'valid') return { status: 'VALID', reason: null, by: 'local' }
  if (answer.status === 'invalid') return { status: 'INVALID', reason: answer.reason, by: 'local' }
  if (answer.status === 'none') return { status: 'NONE', reason: 'signature_invalid', by: 'none' }
  return (await node.inputIsFinal(answer.psbt, answer.inputIndex))
    ? { status: 'VALID', reason: null, by: 'node' }
    : { status: 'INVALID', reason: 'signature_invalid', by: 'node' }
}

/** A bid commits to all its inputs: each must be there, unspent, and signed against what the node says. */
async function askFunding(
  { signatures, index }: Authorities,
  node: FullNode,
  claims: readonly OfferClaim[],
  prevout: TxOut,
) {
  const bid = claims.find(({ offer }) => offer.side === 'BID')
  if (!bid) return []
  const outputs = await Promise.all(
    bid.offer.funding.map((text) =>
      askOutput(node, index, parseOutpoint(text), { knownSpend: null }),
    ),
  )
  const known = outputs.map((output) => (output.status === 'unspent' ? output.output : null))
  const { sellerIndex, funding } = bid.offer
  const prevouts = [...known.slice(0, sellerIndex), prevout, ...known.slice(sellerIndex)]
  return Promise.all(
    funding.map(async (outpoint, at) => {
      const inputIndex = at < sellerIndex ? at : at + 1
      const output = outputs[at] ?? { status: 'missing' as const }
      const question = { psbt: bid.artifact, inputIndex, prevouts }
      const signature: SignatureStatus =
        output.status === 'unspent'
          ? (await checkOne(signatures, node, question)).status
          : 'UNAVAILABLE'
      return { outpoint, output, signature }
    }),
  )
}
