import { countsSeconds } from '../domain/finality.ts'
import { fundingIndex } from '../domain/funding.ts'
import { parseOutpoint } from '../domain/outpoint.ts'
import type { AssetIndex } from '../ports/asset-index.ts'
import { NodeUnavailable } from '../ports/authority-errors.ts'
import type { ChainStatus, FullNode, OutputAnswer } from '../ports/full-node.ts'
import type { SignatureChecker } from '../ports/signature-checker.ts'
import type { NodeEvidence, OutputEvidence } from '../schemas/evidence.ts'
import type { Offer, OfferClaim } from '../schemas/order-record.ts'
import type { TxOut } from '../schemas/scalars.ts'
import { askOutput, type OutputQuestion, unspent } from './ask-output.ts'
import { askAskSignature, askBidSignatures, refutedBid } from './ask-signatures.ts'
import type { Question } from './question.ts'

/** If the tip moves during the questions, all of them are asked again, this many times at most. */
const MOVES = 5

export interface NodeRequest extends Pick<Question, 'outpoint' | 'claims' | 'known'> {
  node: FullNode
  index: AssetIndex | null
  signatures: SignatureChecker
}

type ReadyNode = Extract<NodeEvidence, { status: 'ready' }>

/** Everything the node knows about one order, all of it at one tip. Throws `NodeUnavailable`. */
export async function askNode(question: NodeRequest): Promise<ReadyNode> {
  for (let move = 0; move < MOVES; move += 1) {
    const { tip, coreVersion } = await readyChain(question.node)
    const answer = await askAll(question)
    const after = await readyChain(question.node)
    if (after.tip.hash !== tip.hash) continue
    const { height, hash, medianTime } = tip
    return {
      status: 'ready',
      tip: { height, hash, medianTime },
      ...(coreVersion === undefined ? {} : { coreVersion }),
      ...answer,
    }
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

async function askAll(
  question: NodeRequest,
): Promise<Omit<ReadyNode, 'status' | 'tip' | 'coreVersion'>> {
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
  outpoint: string
  output: OutputEvidence
}

/** A bid's own outputs, in one request; stops at the first that cannot be spent. */
async function askFunding(node: FullNode, { funding, ...offer }: Offer): Promise<Funding[]> {
  const answers = await node.outputs(funding.map(parseOutpoint))
  const gone = answers.findIndex(({ status }) => status !== 'unspent')
  if (gone !== -1) return [{ outpoint: funding[gone] ?? '', output: unspendable(answers[gone]) }]
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

/** Which transaction spends it does not matter: the bid is void. */
const unspendable = (answer: OutputAnswer | undefined): OutputEvidence =>
  answer?.status === 'spent-in-mempool'
    ? { status: 'spent', confirmed: false, output: answer.output, block: null, by: null }
    : { status: 'missing' }

/** Memoises headers and hashes: outputs of one block share the answers. */
function remembering(node: FullNode): Pick<FullNode, 'header' | 'blockHash'> {
  const headers = new Map<string, ReturnType<FullNode['header']>>()
  const hashes = new Map<number, ReturnType<FullNode['blockHash']>>()
  return {
    header: (hash) => headers.get(hash) ?? kept(headers, hash, node.header(hash)),
    blockHash: (height) => hashes.get(height) ?? kept(hashes, height, node.blockHash(height)),
  }
}

function kept<Key, Value>(values: Map<Key, Value>, key: Key, value: Value): Value {
  values.set(key, value)
  return value
}

/** The output, with its prior median time if its input's sequence counts in seconds (BIP68). */
const askAged = async (
  question: OutputQuestion,
  sequence: number | undefined,
): Promise<OutputEvidence> => aged(question.node, await askOutput(question), sequence)

async function aged(
  node: Pick<FullNode, 'header' | 'blockHash'>,
  output: OutputEvidence,
  sequence: number | undefined,
): Promise<OutputEvidence> {
  if (output.status !== 'unspent' || !output.block || !countsSeconds(sequence ?? 0)) return output
  const hash = await node.blockHash(Math.max(output.block.height - 1, 0))
  const prior = hash ? await node.header(hash) : null
  if (!prior)
    throw new NodeUnavailable('node_unavailable', `no header below ${output.block.height}`)
  return { ...output, priorMedianTime: prior.medianTime }
}
