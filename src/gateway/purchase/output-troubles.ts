import { outpointText } from '../../domain/chain/outpoint.ts'
import { usualSpend } from '../../domain/script/input-weight.ts'
import type { OutputTrouble } from '../../schemas/api/outputs/check.ts'
import type { IndexTrouble } from '../../schemas/evidence.ts'
import type { OpenOrders } from '../order/orders-of-output.ts'
import { isImmature } from './buyer-outputs.ts'
import { type NamedOutput, outputOf } from './named-outputs.ts'

/** What is known beside the output itself. */
export interface CheckFacts {
  tipHeight: number
  /** The index's own tip, or why it gave no usable answer. */
  index: { height: number } | { reason: IndexTrouble }
  /** The open orders that would spend the output. */
  orders: OpenOrders
}

/** Everything against an output as padding or payment; empty if it is safe. */
export function troublesOf(named: NamedOutput, facts: CheckFacts): OutputTrouble[] {
  const output = outputOf(named)
  return [
    ...spentTroubles(named),
    ...(output === null ? [] : [...ageTroubles(named, facts), ...scriptTroubles(named)]),
    ...orderTroubles(named, facts.orders),
    ...(output === null || named.height === null ? [] : contentTroubles(named, facts)),
  ]
}

function spentTroubles({ outpoint, answer, mempoolSpender }: NamedOutput): OutputTrouble[] {
  const text = outpointText(outpoint)
  if (mempoolSpender !== null || answer.status === 'spent-in-mempool') {
    const by = mempoolSpender ? ` by ${mempoolSpender}` : ''
    return [trouble('spent_in_mempool', `${text} is spent in the mempool${by}`, mempoolSpender)]
  }
  if (answer.status !== 'absent') return []
  return [trouble('spent_or_unknown', `${text} is spent or was never there`)]
}

function ageTroubles(named: NamedOutput, { tipHeight }: CheckFacts): OutputTrouble[] {
  const text = outpointText(named.outpoint)
  if (named.height === null) return [trouble('unconfirmed', `${text} is unconfirmed`)]
  if (!isImmature(named, tipHeight)) return []
  return [trouble('coinbase_immature', `${text} is a coinbase output that is not mature yet`)]
}

function scriptTroubles(named: NamedOutput): OutputTrouble[] {
  const output = outputOf(named)
  if (output === null || usualSpend(output.scriptHex) !== null) return []
  const text = outpointText(named.outpoint)
  const message = `${text}: the size of a spend of its script is unknown`
  return [trouble('spend_size_unknown', message)]
}

/** The open orders here that a spend of the output would end. */
export function orderTroubles(
  { outpoint }: Pick<NamedOutput, 'outpoint'>,
  { ask, bid }: OpenOrders,
): OutputTrouble[] {
  const text = outpointText(outpoint)
  return [
    ...(ask ? [trouble('offered', `${text} is offered by the order ${ask.id}`, ask.id)] : []),
    ...(bid ? [trouble('pays_for_bid', `${text} pays for the bid ${bid.id}`, bid.id)] : []),
  ]
}

function contentTroubles(named: NamedOutput, { index }: CheckFacts): OutputTrouble[] {
  const { outpoint, assets, height } = named
  const text = outpointText(outpoint)
  if ('reason' in index) {
    const message = `what ${text} holds is not known: ${index.reason}`
    return [trouble('index_unavailable', message, index.reason)]
  }
  if (height !== null && height > index.height) {
    const behind = `the index is at ${index.height}, ${text} in the block at ${height}`
    return [trouble('index_behind', behind)]
  }
  if (!assets?.indexed) {
    return [trouble('not_examined', `${text} is not examined by the index yet`)]
  }
  const [inscription, ...more] = assets.inscriptionIds
  const [rune] = assets.runes ?? []
  const others = more.length > 0 ? ` and ${more.length} more` : ''
  return [
    ...(inscription === undefined
      ? []
      : [
          trouble(
            'holds_inscription',
            `${text} holds the inscription ${inscription}${others}`,
            inscription,
          ),
        ]),
    ...(rune ? [trouble('holds_runes', `${text} holds the rune ${rune.name}`, rune.name)] : []),
  ]
}

const trouble = (
  code: OutputTrouble['code'],
  message: string,
  subject: string | null = null,
): OutputTrouble => ({ code, message, ...(subject === null ? {} : { subject }) })
