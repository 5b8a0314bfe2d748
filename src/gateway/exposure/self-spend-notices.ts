import type { SelfSpendLayout } from '../../domain/exposure/self-spend.ts'
import type { Notice } from '../../schemas/order.ts'
import type { Outpoint } from '../../schemas/scalars.ts'
import type { BuyerOutput } from '../purchase/buyer-outputs.ts'
import { endedOrders, type NeededOutput } from '../purchase/ended-orders.ts'
import type { NamedOutput } from '../purchase/named-outputs.ts'
import { RUNES_NOT_EXAMINED, sizeAssumed } from '../purchase/quote-notices.ts'

/** What the owner should know before signing. */
export function selfSpendNotices({
  layout,
  named,
  assumed,
  funding,
  needed,
}: {
  layout: SelfSpendLayout
  /** The exposed output. */
  named: NamedOutput
  /** Outputs whose spend is hidden behind a hash. */
  assumed: readonly Outpoint[]
  funding: readonly BuyerOutput[]
  /** What it is needed for by open orders here. */
  needed: readonly NeededOutput[]
}): Notice[] {
  const { assets, answer, mempoolSpender } = named
  const isConflicting = mempoolSpender !== null || answer.status === 'spent-in-mempool'
  const runes = assets?.runes ?? []
  const allExamined = assets?.runes !== null && funding.every((one) => one.runesExamined)
  return [
    {
      code: 'ENDS_WHEN_CONFIRMED',
      message:
        'The authorisations end when a block holds this transaction: until then anyone with one ' +
        'may outbid it. It can be replaced by one of a higher fee.',
    },
    ...(isConflicting ? [conflict(mempoolSpender)] : []),
    ...(assets?.inscriptionIds ?? []).slice(0, 1).map(() => ({
      code: 'ASSETS_MOVE',
      message: 'What the output holds goes to output 0, each inscription at the same offset.',
    })),
    ...(runes.length > 0
      ? [{ code: 'RUNES_MOVE', message: 'Runes of the output arrive in output 0, all of them.' }]
      : []),
    ...(funding.length === 0
      ? [
          {
            code: 'FEE_FROM_OUTPUT',
            message: `The fee is taken from the end of the output: ${layout.feeSats} sats less arrive.`,
          },
        ]
      : []),
    ...(layout.foldedSats > 0n
      ? [
          {
            code: 'CHANGE_FOLDED_INTO_FEE',
            message: `A change of ${layout.foldedSats} sats or less would be dust: it is part of the fee.`,
          },
        ]
      : []),
    ...(allExamined ? [] : [RUNES_NOT_EXAMINED]),
    ...assumed.map(sizeAssumed),
    ...endedOrders(needed, 'this transaction'),
  ]
}

const conflict = (spender: string | null): Notice => ({
  code: 'REPLACES_A_SPEND',
  message:
    `${spender ?? 'A transaction'} of the mempool spends the output already: nodes take this one ` +
    'instead only if it pays more in all and at a higher rate.',
})
