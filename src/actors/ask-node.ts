import { countsSeconds } from '../domain/finality.ts'
import { fundingIndex } from '../domain/funding.ts'
import { parseOutpoint } from '../domain/outpoint.ts'
import type { AssetIndex } from '../ports/asset-index.ts'
import { NodeUnavailable } from '../ports/authority-errors.ts'
import type { ChainStatus, FullNode } from '../ports/full-node.ts'
import type { SignatureChecker } from '../ports/signature-checker.ts'
import type { NodeEvidence, OutputEvidence, SignatureEvidence } from '../schemas/evidence.ts'
import type { OfferClaim } from '../schemas/order-record.ts'
import type { TxOut } from '../schemas/scalars.ts'
import { askOutput, type OutputQuestion } from './ask-output.ts'
import { askAskSignature, askBidSignatures } from './ask-signatures.ts'
import type { Question } from './question.ts'

/** A tip that moves while everything is asked is asked again, a few times. */
const MOVES = 5

export interface NodeQuestion extends Pick<Question, 'outpoint' | 'claims' | 'known'> {
  node: FullNode
  index: AssetIndex | null
  signatures: SignatureChecker
}

type ReadyNode = Extract<NodeEvidence, { status: 'ready' }>

/** Everything that the node says of one order, all of it at one tip. Throws `NodeUnavailable`. */
export async function askNode(question: NodeQuestion): Promise<ReadyNode> {
  for (let move = 0; move < MOVES; move += 1) {
    const { tip } = await readyChain(question.node)
    const answer = await askAll(question)
    const after = await readyChain(question.node)
    if (after.tip.hash !== tip.hash) continue
    const { height, hash, medianTime } = tip
    return { status: 'ready', tip: { height, hash, medianTime }, ...answer }
  }
  throw new NodeUnavailable('node_unavailable', `the tip moved ${MOVES} times while it was asked`)
}

async function readyChain(node: FullNode): Promise<ChainStatus> {
  const chain = await node.chain()
  if (chain.initialBlockDownload)
    throw new NodeUnavailable('node_in_ibd', 'the node is in initial block download')
  if (!chain.mempoolLoaded)
    throw new NodeUnavailable('node_mempool_loading', 'the node is still loading its mempool')
  return chain
}

async function askAll(question: NodeQuestion): Promise<Omit<ReadyNode, 'status' | 'tip'>> {
  const { node, index, outpoint, claims, known } = question
  const [first] = claims
  const asked = { node, index, outpoint: parseOutpoint(outpoint), known }
  const output = await askAged(asked, first?.offer.sequences[first.offer.sellerIndex])
  const prevout = output.status === 'missing' ? null : output.output
  if (!prevout) return { output, funding: [], signatures: [] }
  if (first?.offer.side === 'BID') return { output, ...(await askBid(question, first, prevout)) }
  const signatures = await Promise.all(
    claims.map((claim) => askAskSignature(question, claim, prevout)),
  )
  return { output, funding: [], signatures }
}

/** A bid commits to all its inputs: each must be there, unspent, and signed. */
async function askBid(question: NodeQuestion, { offer }: OfferClaim, prevout: TxOut) {
  const { node, index, claims } = question
  const outputs = await Promise.all(
    offer.funding.map((text, at) =>
      askAged(
        { node, index, outpoint: parseOutpoint(text), known: { spend: null, outputBlock: null } },
        offer.sequences[fundingIndex(offer, at)],
      ),
    ),
  )
  const isThere = outputs.every(({ status }) => status === 'unspent')
  const checked = isThere
    ? await Promise.all(claims.map((bid) => askBidSignatures(question, bid, prevout, outputs)))
    : []
  const funding = offer.funding.map((outpoint, at) => ({
    outpoint,
    output: outputs[at] ?? { status: 'missing' as const },
    signature: checked[0]?.inputs[at] ?? ('UNAVAILABLE' as const),
  }))
  const signatures: SignatureEvidence[] = checked.map(({ evidence }) => evidence)
  return { funding, signatures }
}

/** The output, with its age in seconds where the sequence number of its input counts by it (BIP68). */
async function askAged(
  question: OutputQuestion,
  sequence: number | undefined,
): Promise<OutputEvidence> {
  const output = await askOutput(question)
  if (output.status !== 'unspent' || !output.block || !countsSeconds(sequence ?? 0)) return output
  const { node } = question
  const hash = await node.blockHash(Math.max(output.block.height - 1, 0))
  const prior = hash ? await node.header(hash) : null
  if (!prior)
    throw new NodeUnavailable('node_unavailable', `no header below ${output.block.height}`)
  return { ...output, priorMedianTime: prior.medianTime }
}
