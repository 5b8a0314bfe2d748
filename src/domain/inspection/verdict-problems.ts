import type { InspectionProblem, ProblemPlace } from '../../schemas/api/inspection.ts'
import type { Evidence } from '../../schemas/evidence.ts'
import type { OfferClaim } from '../../schemas/order-record.ts'
import type { TxOut } from '../../schemas/scalars.ts'
import type { ReasonCode } from '../reasons/reasons.ts'
import { ANCHOR } from '../script/address.ts'
import {
  dustThreshold,
  hasNoKey,
  type KnownCompletion,
  leastFee,
  type RelayPolicy,
  relayFaults,
} from '../script/relay.ts'
import { contradictionsOf } from '../verdict/contradictions.ts'
import { sumOf } from '../verdict/funding.ts'
import { knownCompletion } from '../verdict/known-completion.ts'
import { payoutsToOwner, paysBelowInput } from '../verdict/payout.ts'
import { problemOf } from './problem.ts'

export interface JudgedReasons {
  claim: OfferClaim
  evidence: Evidence
  /** Codes of the inspection and of the verdict, with their detail. */
  reasons: readonly string[]
  /** Where the request has the text with the PSBT, and the claimed inscription. */
  pointers: { artifact: string; asset: string }
}

const OF_ASSETS: ReadonlySet<string> = new Set(['asset_mismatch', 'asset_missing'])
/** These concern the inputs that a bid brings, all together or one that is not named. */
const OF_FUNDING: ReadonlySet<string> = new Set([
  'bid_funding_short',
  'bid_funding_spent',
  'bid_funding_unsigned',
] satisfies ReasonCode[])
/** These are faults of the authorities, and concern no part of the artifact. */
const OF_AUTHORITIES = /^(?:node|asset_index)_/

/** Each reason as a problem with its place and what the authorities say about it. */
export function reasonProblems(judged: JudgedReasons): InspectionProblem[] {
  return judged.reasons.flatMap((reason) => {
    const [code = '', detail] = reason.split(' ')
    if (code === 'not_relayable') return relayProblems(judged)
    if (code === 'witness_utxo_mismatch') return mismatchProblems(judged)
    const details = detailsOf(code, detail, judged)
    const hasDetails = Object.keys(details).length > 0
    return [problemOf(code, 'NOT_LIVE', placeOf(code, judged), hasDetails ? { details } : {})]
  })
}

function placeOf(code: string, { claim: { offer }, pointers }: JudgedReasons): ProblemPlace {
  if (OF_AUTHORITIES.test(code)) return { pointer: '' }
  if (OF_ASSETS.has(code)) return { pointer: pointers.asset }
  if (OF_FUNDING.has(code)) return { pointer: pointers.artifact }
  if (code === 'no_output_at_index') {
    return { pointer: pointers.artifact, output: offer.sellerIndex }
  }
  return { pointer: pointers.artifact, input: offer.sellerIndex }
}

type Details = NonNullable<InspectionProblem['details']>

function detailsOf(
  code: string,
  detail: string | undefined,
  { claim, evidence }: JudgedReasons,
): Details {
  const { node } = evidence
  const output = node.status === 'ready' ? node.output : null
  const outpoint = claim.offer.outpoint
  switch (code) {
    case 'mempool_conflict':
      return { outpoint, ...(detail !== undefined && { spentBy: detail }) }
    case 'spent':
    case 'settled': {
      const by = output?.status === 'spent' ? output.by : null
      return { outpoint, ...(by && { spentBy: by.txid, height: by.block?.height ?? 0 }) }
    }
    case 'spender_unknown':
    case 'outpoint_missing':
    case 'output_unconfirmed':
    case 'output_not_indexed':
      return { outpoint }
    case 'not_final_until':
      return { until: detail ?? '' }
    case 'bid_funding_spent': {
      const gone =
        node.status === 'ready' ? node.funding.filter((one) => one.output.status !== 'unspent') : []
      return { outpoints: gone.map((one) => one.outpoint) }
    }
    case 'asset_mismatch':
    case 'asset_missing':
    case 'undeclared_assets':
      return holdingsIn(evidence)
    default:
      return {}
  }
}

/** At most 25 inscriptions: more are not looked up. */
function holdingsIn({ index }: Evidence): Details {
  if (index.status !== 'ready') return {}
  const { inscriptions, runes } = index
  return {
    inscriptions: (inscriptions ?? []).map(({ id, offset }) => `${id} at sat ${offset}`),
    ...(runes && { runes: runes.slice(0, 8).map(({ name, amount }) => `${amount} ${name}`) }),
  }
}

/** One for each input whose output is described wrongly, with the true one. */
function mismatchProblems({ claim, evidence: { node }, pointers }: JudgedReasons) {
  if (node.status !== 'ready') return []
  return contradictionsOf(claim, node).map(({ inputIndex, outpoint, claimed, known }) => {
    const place = { pointer: pointers.artifact, input: inputIndex }
    const details = { outpoint, ...known, claimedValueSats: claimed.valueSats }
    return problemOf('witness_utxo_mismatch', 'NOT_LIVE', place, { details })
  })
}

/** One for each policy, with the output that breaks it. */
function relayProblems({ claim, evidence, pointers }: JudgedReasons) {
  const { offer } = claim
  const node = evidence.node.status === 'ready' ? evidence.node : null
  const isSigned = node?.signatures.some(
    ({ digest, status }) => digest === claim.inspection.digest && status === 'VALID',
  )
  const completion = node && isSigned ? knownCompletion(claim, node) : null
  const pointer = pointers.artifact
  return relayFaults(offer, { coreVersion: node?.coreVersion, completion }).map(
    ({ policy, payout }) => {
      const output = payout === null ? null : offer.payouts[payout]
      const at = offer.side === 'ASK' ? offer.sellerIndex : (payout ?? 0)
      const place = output ? { pointer, output: at } : { pointer }
      const least = leastSatsFor(policy, output ?? null, completion)
      const details = { policy, ...(least !== null && { leastSats: least.toString() }) }
      return problemOf('not_relayable', 'NOT_LIVE', place, { details })
    },
  )
}

/** The value of the output, or the fee of the bid, that the policy wants. */
function leastSatsFor(
  policy: RelayPolicy,
  output: TxOut | null,
  completion: KnownCompletion | null,
): bigint | null {
  if (policy === 'dust') return output && dustThreshold(output.scriptHex)
  return policy === 'fee' && completion ? leastFee(completion.leastVbytes) : null
}

/** What a seller should know although it does not keep the order from being LIVE. */
export function adviceFor(
  { offer, inspection }: Pick<OfferClaim, 'offer' | 'inspection'>,
  prevout: TxOut | null,
  pointer: string,
): InspectionProblem[] {
  if (inspection.orderClass === 'UNSUPPORTED') return []
  const isAsk = offer.side === 'ASK'
  const at = { pointer, ...(isAsk ? { output: offer.sellerIndex } : { input: offer.sellerIndex }) }
  const problems: InspectionProblem[] = []
  if (isAsk && inspection.safety !== 'PUBLIC_RACEABLE') {
    problems.push(problemOf('review_only', 'NOTED', { pointer }))
  }
  if (prevout !== null && paysBelowInput(offer, prevout)) {
    const payoutSats = sumOf(payoutsToOwner(offer, prevout)).toString()
    const details = { payoutSats, inputSats: prevout.valueSats }
    problems.push(problemOf('payout_below_input', 'NOTED', at, { details }))
  }
  const payout = isAsk ? offer.payouts[0]?.scriptHex : undefined
  if (payout === ANCHOR) problems.push(problemOf('payout_to_anchor', 'NOTED', at))
  else if (payout !== undefined && hasNoKey(payout)) {
    problems.push(problemOf('payout_unspendable', 'NOTED', at))
  }
  return problems
}
