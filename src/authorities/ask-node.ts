import { parseOutpoint } from '../domain/chain/outpoint.ts'
import { countsSeconds } from '../domain/verdict/finality.ts'
import { fundingIndex } from '../domain/verdict/funding.ts'
import type { AssetIndex } from '../ports/authorities/asset-index.ts'
import { NodeUnavailableError } from '../ports/authorities/authority-errors.ts'
import type { ChainStatus, FullNode, OutputAnswer } from '../ports/authorities/full-node.ts'
import type { SignatureChecker } from '../ports/authorities/signature-checker.ts'
import type { OutputEvidence, ReadyNode, SignatureEvidence } from '../schemas/evidence.ts'
import type { Offer, OfferClaim } from '../schemas/order-record.ts'
import type { BlockRef, OutpointText, TxOut } from '../schemas/scalars.ts'
import { askOutput, type FirstLook, type OutputQuestion, unspent } from './ask-output.ts'
import { askAskSignature, askBidSignatures, refutedBid } from './ask-signatures.ts'
import type { OfferQuestion } from './offer-question.ts'

/** If the tip moves during the questions, all of them are asked again, this many times at most. */
const MOVES = 5

export interface NodeRequest extends Pick<OfferQuestion, 'outpoint' | 'claims' | 'known'> {
  node: FullNode
  index: AssetIndex | null
  signatures: Pick<SignatureChecker, 'check'>
}

/** The questions to the index at the same time. */
export interface Beside {
  begin(): void
  /** The output is unspent in a block of the chain of this tip, and signed so. */
  ask(tip: BlockRef, signatures: readonly SignatureEvidence[]): Promise<void>
  end(tip: BlockRef): Promise<void>
}

const NOTHING: Beside = { begin: () => {}, ask: async () => {}, end: async () => {} }

/**
 * Everything the node knows about one order, all of it at one tip: in three round trips for an ask
 * whose output is unspent. Throws `NodeUnavailableError`.
 */
export async function askNode(
  question: NodeRequest,
  beside: Beside = NOTHING,
  known?: FirstLook,
): Promise<ReadyNode> {
  for (let move = 0; move < MOVES; move += 1) {
    const look = (move === 0 && known) || (await firstLook(question, beside))
    const { tip, coreVersion } = look.chain
    const answer = await askAll(question, look, beside)
    const [after] = await Promise.all([readyStatus(question.node), beside.end(tip)])
    if (after.tip.hash !== tip.hash) continue
    const { height, hash, medianTime } = tip
    return {
      status: 'ready',
      tip: { height, hash, medianTime },
      ...(coreVersion === undefined ? {} : { coreVersion }),
      ...answer,
    }
  }
  throw new NodeUnavailableError(
    'node_unavailable',
    `the tip moved ${MOVES} times while it was asked`,
  )
}

/** The output and the tip of a node that is ready. Throws `NodeUnavailableError`. */
export async function firstLook(
  { node, outpoint, claims }: Pick<NodeRequest, 'node' | 'outpoint' | 'claims'>,
  beside: Pick<Beside, 'begin'> = NOTHING,
): Promise<FirstLook> {
  // A bid's other inputs come first.
  if (claims[0]?.offer.side !== 'BID') beside.begin()
  const look = await node.outputAtTip(parseOutpoint(outpoint))
  requireReady(look.chain)
  return look
}

export async function readyStatus(node: Pick<FullNode, 'chain'>): Promise<ChainStatus> {
  const chain = await node.chain()
  requireReady(chain)
  return chain
}

function requireReady(chain: ChainStatus): void {
  if (chain.initialBlockDownload)
    throw new NodeUnavailableError(
      'node_in_ibd',
      'the node is in initial block download, or behind the chain',
    )
  if (!chain.mempoolLoaded)
    throw new NodeUnavailableError('node_mempool_loading', 'the node is still loading its mempool')
}

type Answers = Omit<ReadyNode, 'status' | 'tip' | 'coreVersion'>

async function askAll(question: NodeRequest, look: FirstLook, beside: Beside): Promise<Answers> {
  const { node, index, outpoint, claims, known } = question
  const [first] = claims
  const asked = { node, index, outpoint: parseOutpoint(outpoint), known }
  const aged = askAged(asked, look, first?.offer.sequences[first.offer.sellerIndex])
  const { chain, output: seen } = look
  const isInBlock = seen.status === 'unspent' && seen.confirmations > 0
  if (isInBlock && first?.offer.side !== 'BID') {
    const signed = askSignatures(question, seen.output).then(async (signatures) => {
      await beside.ask(chain.tip, signatures)
      return signatures
    })
    const [output, signatures] = await Promise.all([aged, signed])
    return { output, funding: [], signatures }
  }
  const output = await aged
  const prevout = output.status === 'missing' ? null : output.output
  if (!prevout) return { output, funding: [], signatures: [] }
  if (first?.offer.side === 'BID') {
    const bid = await askBid(question, first, prevout)
    if (isInBlock) await beside.ask(chain.tip, bid.signatures)
    return { output, ...bid }
  }
  return { output, funding: [], signatures: await askSignatures(question, prevout) }
}

const askSignatures = (question: NodeRequest, prevout: TxOut): Promise<SignatureEvidence[]> =>
  Promise.all(question.claims.map((claim) => askAskSignature(question, claim, prevout)))

/**
 * A bid commits to all its inputs: each must exist, unspent, and be signed. Checks that need no
 * node come first, and a bid that they refute costs no question.
 */
async function askBid(question: NodeRequest, bid: OfferClaim, prevout: TxOut) {
  const { node, claims } = question
  const refuted = await Promise.all(claims.map((claim) => refutedBid(question, claim)))
  const signatures = refuted.filter((one) => one !== null)
  if (signatures.length === claims.length) return { funding: [], signatures }
  const outputs = await askFunding(node, bid.offer)
  const [missing] = outputs.filter(({ output }) => output.status !== 'unspent')
  if (missing)
    return { funding: [{ ...missing, signature: 'UNAVAILABLE' as const }], signatures: [] }
  return signedFunding(question, outputs, prevout)
}

async function signedFunding(question: NodeRequest, outputs: readonly Funding[], prevout: TxOut) {
  const known = outputs.map(({ output }) => output)
  const checked = await Promise.all(
    question.claims.map((claim) => askBidSignatures(question, claim, prevout, known)),
  )
  const funding = outputs.map((output, at) => ({
    ...output,
    signature: checked[0]?.inputs[at] ?? ('UNAVAILABLE' as const),
  }))
  return { funding, signatures: checked.map(({ evidence }) => evidence) }
}

interface Funding {
  outpoint: OutpointText
  output: OutputEvidence
}

/** A bid's own outputs, in one request; stops at the first that cannot be spent. */
async function askFunding(node: FullNode, { funding, ...offer }: Offer): Promise<Funding[]> {
  const answers = await node.outputs(funding.map(parseOutpoint))
  const gone = answers.findIndex(({ status }) => status !== 'unspent')
  const lost = funding[gone]
  if (lost !== undefined) return [{ outpoint: lost, output: unspendable(answers[gone]) }]
  const once = remembering(node)
  const outputs: Funding[] = []
  for (const [at, outpoint] of funding.entries()) {
    const answer = answers[at]
    if (answer?.status !== 'unspent') throw new Error(`no answer for ${outpoint}`)
    const output = await unspent(once, answer)
    outputs.push({
      outpoint,
      output: await aged(once, output, offer.sequences[fundingIndex(offer, at)]),
    })
  }
  return outputs
}

/** It does not matter which transaction spends it: the bid is void. */
const unspendable = (answer: OutputAnswer | undefined): OutputEvidence =>
  answer?.status === 'spent-in-mempool'
    ? { status: 'spent', confirmed: false, output: answer.output, block: null, by: null }
    : { status: 'missing' }

/** Memoises headers and hashes: outputs of one block share the answers. */
function remembering(node: FullNode): Pick<FullNode, 'header' | 'blockHash'> {
  const headers = new Map<string, ReturnType<FullNode['header']>>()
  const hashes = new Map<number, ReturnType<FullNode['blockHash']>>()
  return {
    header: (hash) => headers.get(hash) ?? cached(headers, hash, node.header(hash)),
    blockHash: (height) => hashes.get(height) ?? cached(hashes, height, node.blockHash(height)),
  }
}

function cached<Key, Value>(values: Map<Key, Value>, key: Key, value: Value): Value {
  values.set(key, value)
  return value
}

/** The output, with its prior median time if its input's sequence counts in seconds (BIP68). */
const askAged = async (
  question: OutputQuestion,
  look: FirstLook,
  sequence: number | undefined,
): Promise<OutputEvidence> => aged(question.node, await askOutput(question, look), sequence)

async function aged(
  node: Pick<FullNode, 'header' | 'blockHash'>,
  output: OutputEvidence,
  sequence: number | undefined,
): Promise<OutputEvidence> {
  if (output.status !== 'unspent' || !output.block || !countsSeconds(sequence ?? 0)) return output
  return { ...output, priorMedianTime: await priorMedianTime(node, output.block) }
}

/** The median time past of the block before this one, seconds. Throws `NodeUnavailableError`. */
export async function priorMedianTime(
  node: Pick<FullNode, 'header' | 'blockHash'>,
  { height }: Pick<BlockRef, 'height'>,
): Promise<number> {
  const hash = await node.blockHash(Math.max(height - 1, 0))
  const prior = hash ? await node.header(hash) : null
  if (!prior) throw new NodeUnavailableError('node_unavailable', `no header below ${height}`)
  return prior.medianTime
}
