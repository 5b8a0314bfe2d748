import { parseOutpoint } from '../domain/outpoint.ts'
import type { AssetIndex } from '../ports/asset-index.ts'
import { NodeUnavailable } from '../ports/authority-errors.ts'
import type { Clock } from '../ports/clock.ts'
import type { FullNode } from '../ports/full-node.ts'
import type { OfferExaminer } from '../ports/offer-examiner.ts'
import type { SignatureChecker } from '../ports/signature-checker.ts'
import type { Evidence, IndexEvidence, NodeTrouble } from '../schemas/evidence.ts'
import type { BlockRef } from '../schemas/scalars.ts'
import { askIndex } from './ask-index.ts'
import { askNode } from './ask-node.ts'
import { askWhile } from './ask-while.ts'
import type { Question } from './question.ts'

export interface Authorities {
  /** Null: not configured. */
  node: FullNode | null
  index: AssetIndex | null
  signatures: SignatureChecker
  clock: Clock
}

/** If the chain moves between asking node and index, both are asked again, this often at most. */
const MOST_LOOKS = 5
const BEHIND: IndexEvidence = { status: 'unavailable', reason: 'asset_index_behind' }

type Asked = Pick<Question, 'outpoint' | 'begunAt' | 'mempoolSequence' | 'claims' | 'known'>
type Answers = Pick<Evidence, 'node' | 'index'>

/**
 * Asks node and index everything the verdict on one order needs. An unavailable authority is an
 * answer too; only a defect throws.
 */
export async function gatherEvidence(
  authorities: Authorities,
  asked: Asked,
  ask: Asking = askBoth,
): Promise<Evidence> {
  const { clock } = authorities
  const askedAt = new Date(clock.now()).toISOString()
  const answers = await askAs(ask, authorities, asked)
  return {
    begunAt: asked.begunAt,
    mempoolSequence: asked.mempoolSequence,
    askedAt,
    answeredAt: new Date(clock.now()).toISOString(),
    ...answers,
  }
}

/** The same questions for an offer that is no order yet: it has no watermark and is in no log. */
export const offerExaminer = (authorities: Authorities): OfferExaminer => ({
  examine: (outpoint, claims, over) =>
    gatherEvidence(until(authorities, over), { ...UNKNOWN, outpoint, claims }),
  examineProof: (outpoint, claims, over) =>
    gatherEvidence(until(authorities, over), { ...UNKNOWN, outpoint, claims }, askNodeAlone),
})

function until(authorities: Authorities, over: AbortSignal | undefined): Authorities {
  if (!over) return authorities
  const { node, index, signatures, clock } = authorities
  return {
    node: node && askWhile(node, over),
    index: index && askWhile(index, over),
    signatures: askWhile(signatures, over),
    clock,
  }
}

const UNKNOWN = { begunAt: null, mempoolSequence: null, known: { spend: null, outputBlock: null } }

type Asking = (parts: Authorities & { node: FullNode }, asked: Asked) => Promise<Answers>

/** An unavailable node is an answer too. */
async function askAs(ask: Asking, authorities: Authorities, asked: Asked): Promise<Answers> {
  const { node, index } = authorities
  if (!node) return nodeAway('node_unconfigured', index)
  try {
    return await ask({ ...authorities, node }, asked)
  } catch (error) {
    if (error instanceof NodeUnavailable) return nodeAway(error.reason, index)
    throw error
  }
}

const askNodeAlone: Asking = async ({ node, index, signatures }, asked) => ({
  node: await askNode({ node, index, signatures, ...asked }),
  index: unasked(index),
})

const askBoth: Asking = async ({ node, index, signatures }, asked) => {
  for (let look = 1; ; look += 1) {
    const answer = await askNode({ node, index, signatures, ...asked })
    const { output } = answer
    // Unless the output is unspent in a block, no index can say what it holds.
    const isThere = output.status === 'unspent' && output.block !== null
    if (!index || !isThere || isRefuted(asked, answer)) {
      return { node: answer, index: unasked(index) }
    }
    const said = await askIndex(node, index, parseOutpoint(asked.outpoint))
    if (await areOfOneChain(node, answer.tip, said)) return { node: answer, index: said }
    if (look === MOST_LOOKS) return { node: answer, index: BEHIND }
  }
}

/** Whatever the index says, the verdict on bad signatures takes precedence over assets. */
const isRefuted = ({ claims }: Asked, { signatures }: Pick<ReadyNode, 'signatures'>): boolean =>
  claims.length > 0 &&
  claims.every(({ inspection }) => {
    const checked = signatures.find(({ digest }) => digest === inspection.digest)
    return (checked?.status ?? inspection.signatureStatus) !== 'VALID'
  })

type ReadyNode = Extract<Answers['node'], { status: 'ready' }>

/** The node may have left the chain it answered on before the index was asked. */
async function areOfOneChain(node: FullNode, tip: BlockRef, said: IndexEvidence): Promise<boolean> {
  if (said.status !== 'ready') return true
  const { at } = said
  if (at.height === tip.height) return at.hash === tip.hash
  const [atTip, atIndex] = await Promise.all([
    node.blockHash(tip.height),
    node.blockHash(at.height),
  ])
  return atTip === tip.hash && atIndex === at.hash
}

const nodeAway = (reason: NodeTrouble, index: AssetIndex | null): Answers => ({
  node: { status: 'unavailable', reason },
  index: unasked(index),
})

export const unasked = (index: AssetIndex | null): IndexEvidence => ({
  status: 'unavailable',
  reason: index ? 'asset_index_not_asked' : 'asset_index_unconfigured',
})
