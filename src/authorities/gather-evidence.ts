import { inscriptionClaim } from '../domain/assets/claimed-assets.ts'
import { parseOutpoint } from '../domain/chain/outpoint.ts'
import { isProvedBy } from '../domain/order/proved.ts'
import type { AssetIndex } from '../ports/authorities/asset-index.ts'
import { NodeUnavailableError } from '../ports/authorities/authority-errors.ts'
import type { FullNode, OutputAnswer } from '../ports/authorities/full-node.ts'
import type { SignatureChecker } from '../ports/authorities/signature-checker.ts'
import type { Clock } from '../runtime/clock.ts'
import type {
  Evidence,
  IndexEvidence,
  NodeTrouble,
  SignatureEvidence,
} from '../schemas/evidence.ts'
import type { OfferClaim } from '../schemas/order-record.ts'
import type { BlockRef } from '../schemas/scalars.ts'
import { IndexQuestion } from './ask-index.ts'
import { askNode, firstLook } from './ask-node.ts'
import { askAskSignature } from './ask-signatures.ts'
import type { ExaminedOrder, OfferExaminer, OrderExaminer } from './offer-examiner.ts'
import type { OfferQuestion } from './offer-question.ts'

export interface Authorities {
  /** Null: not configured. */
  node: FullNode | null
  index: AssetIndex | null
  signatures: Pick<SignatureChecker, 'check'>
  clock: Clock
}

type AuthorityAnswers = Pick<Evidence, 'node' | 'index'>

/**
 * Asks node and index everything the verdict on one order needs. An unavailable authority is an
 * answer too; only a defect throws.
 */
export async function gatherEvidence(
  authorities: Authorities,
  asked: OfferQuestion,
): Promise<Evidence> {
  const askedAt = timeOf(authorities)
  return evidenceOf(authorities, { ...asked, askedAt }, await askAs(askBoth, authorities, asked))
}

const timeOf = ({ clock }: Authorities): string => new Date(clock.now()).toISOString()

const evidenceOf = (
  authorities: Authorities,
  { begunAt, mempoolSequence, askedAt }: OfferQuestion & { askedAt: string },
  answers: AuthorityAnswers,
): Evidence => ({
  begunAt,
  mempoolSequence,
  askedAt,
  answeredAt: timeOf(authorities),
  ...answers,
})

/**
 * Examines an offer that is not an order yet, by the questions asked of orders: it has no watermark
 * and no log record.
 */
export const offerExaminer = (authorities: Authorities): OfferExaminer & OrderExaminer => ({
  examine: (outpoint, claims, signal, begun) =>
    gatherEvidence(until(authorities, signal), { ...UNKNOWN, ...begun, outpoint, claims }),
  examineProof: (outpoint, claims, signal) =>
    gatherProof(until(authorities, signal), { ...UNKNOWN, outpoint, claims }),
  examineOrder: (outpoint, claims, begun, signal) =>
    gatherOrder(until(authorities, signal), { ...UNKNOWN, ...begun, outpoint, claims }),
})

/** Asks only the node, and no more than is needed to see that the owner signed. */
async function gatherProof(
  authorities: Authorities,
  asked: OfferQuestion,
): Promise<Evidence | 'signed'> {
  const askedAt = timeOf(authorities)
  const answers = await askAs(askProof, authorities, asked)
  if (answers === 'signed') return answers
  return evidenceOf(authorities, { ...asked, askedAt }, answers)
}

const askProof: Asking<AuthorityAnswers | 'signed'> = async (parts, asked) => {
  const { node, index } = parts
  const look = await firstLook({ node, ...asked })
  if (await isSignedBy(parts, asked.claims, look.output)) return 'signed'
  const answer = await askNode({ ...parts, ...asked }, undefined, look)
  return { node: answer, index: unasked(index) }
}

/** Asks only the node until it is seen that the owner signed; then node and index everything else. */
async function gatherOrder(authorities: Authorities, asked: OfferQuestion): Promise<ExaminedOrder> {
  const askedAt = timeOf(authorities)
  const signatures = checkedOnce(authorities.signatures)
  let isSigned = false
  const ask: Asking<AuthorityAnswers> = async (parts, question) => {
    const { node, index } = parts
    const look = await firstLook({ node, ...question })
    isSigned = await isSignedBy(parts, question.claims, look.output)
    const beside = isSigned && index ? besideNode(node, index, question) : undefined
    beside?.begin()
    const answer = await askNode({ ...parts, ...question }, beside, look)
    return { node: answer, index: beside?.said() ?? unasked(index) }
  }
  const answers = await askAs(ask, { ...authorities, signatures }, asked)
  return { isSigned, evidence: evidenceOf(authorities, { ...asked, askedAt }, answers) }
}

/** The same checker, for one offer: what it was asked before is not checked again. */
function checkedOnce(signatures: Authorities['signatures']): Authorities['signatures'] {
  const answers = new Map<string, ReturnType<SignatureChecker['check']>>()
  return {
    check: (question) => {
      const key = JSON.stringify(question)
      const answer = answers.get(key) ?? signatures.check(question)
      answers.set(key, answer)
      return answer
    },
  }
}

async function isSignedBy(
  authorities: Authorities & { node: FullNode },
  [claim, ...others]: readonly OfferClaim[],
  output: OutputAnswer,
): Promise<boolean> {
  if (!claim || others.length > 0 || claim.offer.side !== 'ASK') return false
  if (output.status !== 'unspent') return false
  const { status, reason } = await askAskSignature(authorities, claim, output.output)
  return status === 'VALID' && isProvedBy({ signature: status, reason: reason ?? '' })
}

function until(authorities: Authorities, signal: AbortSignal | undefined): Authorities {
  if (!signal) return authorities
  const { node, index, signatures, clock } = authorities
  return {
    node: node && askWhile(node, signal),
    index: index && askWhile(index, signal),
    signatures: askWhile(signatures, signal),
    clock,
  }
}

const UNKNOWN = { begunAt: null, mempoolSequence: null, known: { spend: null, outputBlock: null } }

type Asking<T> = (parts: Authorities & { node: FullNode }, asked: OfferQuestion) => Promise<T>

/** An unavailable node is also an answer. */
async function askAs<T>(
  ask: Asking<T>,
  authorities: Authorities,
  asked: OfferQuestion,
): Promise<T | AuthorityAnswers> {
  const { node, index } = authorities
  if (!node) return nodeAway('node_unconfigured', index)
  try {
    return await ask({ ...authorities, node }, asked)
  } catch (error) {
    if (error instanceof NodeUnavailableError) return nodeAway(error.reason, index)
    throw error
  }
}

const askBoth: Asking<AuthorityAnswers> = async ({ node, index, signatures }, asked) => {
  const beside = index ? besideNode(node, index, asked) : null
  const answer = await askNode({ node, index, signatures, ...asked }, beside ?? undefined)
  return { node: answer, index: beside?.said() ?? unasked(index) }
}

/** Only for an output that is unspent in a block can an index say what it holds. */
function besideNode(node: FullNode, index: AssetIndex, asked: OfferQuestion) {
  const outpoint = parseOutpoint(asked.outpoint)
  const [kept] = asked.claims
  const likely = kept && inscriptionClaim(kept)?.inscriptionId
  let question = new IndexQuestion(node, index)
  let said: IndexEvidence | null = null
  return {
    begin: () => {
      question = new IndexQuestion(node, index)
      question.begin()
    },
    ask: async (tip: BlockRef, signatures: readonly SignatureEvidence[]) => {
      if (!isRefuted(asked, { signatures })) await question.ask(tip, outpoint, likely)
    },
    end: async (tip: BlockRef) => {
      said = await question.end(tip)
    },
    said: () => said,
  }
}

interface Signed {
  signatures: readonly SignatureEvidence[]
}

/** Whatever the index says, the verdict on bad signatures takes precedence over assets. */
const isRefuted = ({ claims }: OfferQuestion, { signatures }: Signed): boolean =>
  claims.length > 0 &&
  claims.every(({ inspection }) => {
    const checked = signatures.find(({ digest }) => digest === inspection.digest)
    return (checked?.status ?? inspection.signatureStatus) !== 'VALID'
  })

const nodeAway = (reason: NodeTrouble, index: AssetIndex | null): AuthorityAnswers => ({
  node: { status: 'unavailable', reason },
  index: unasked(index),
})

export const unasked = (index: AssetIndex | null): IndexEvidence => ({
  status: 'unavailable',
  reason: index ? 'asset_index_not_asked' : 'asset_index_unconfigured',
})

/** The same authority; once the signal has aborted, every further call is rejected with its reason. */
const askWhile = <T extends object>(of: T, signal: AbortSignal): T =>
  new Proxy(of, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== 'function') return method
      // Never thrown at once: nothing would then await the calls made before for one `Promise.all`.
      return async (...args: unknown[]): Promise<unknown> => {
        signal.throwIfAborted()
        return Reflect.apply(method, target, args)
      }
    },
  })
