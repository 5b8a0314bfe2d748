import { runesNotices } from '../../domain/assets/runes-held.ts'
import { outpointText } from '../../domain/chain/outpoint.ts'
import { ASSET_OUTPUT, type PurchaseLayout } from '../../domain/purchase/purchase-layout.ts'
import type { OutputTrouble } from '../../schemas/api/outputs/check.ts'
import type { InscriptionAt } from '../../schemas/evidence.ts'
import type { Notice } from '../../schemas/order.ts'
import type { Outpoint } from '../../schemas/scalars.ts'
import type { BuyerOutput } from './buyer-outputs.ts'
import { endedOrders } from './ended-orders.ts'
import type { NamedOutput } from './named-outputs.ts'

export const RUNES_NOT_EXAMINED: Notice = {
  code: 'RUNES_NOT_EXAMINED',
  message: 'The index follows no runes: whether any output holds some is unknown.',
}

export const sizeAssumed = (outpoint: Outpoint): Notice => ({
  code: 'INPUT_SIZE_ASSUMED',
  message: `The size of the spend of ${outpointText(outpoint)} is an assumption: its script is known by its hash alone.`,
})

/** What a buyer should know before signing. */
export function quoteNotices({
  layout,
  offered,
  places,
  movesRunes,
  sellsRunes,
  buyer,
  needed,
}: {
  layout: PurchaseLayout
  offered: NamedOutput
  /** Inscriptions and their offsets in the offered output. */
  places: readonly InscriptionAt[]
  movesRunes: boolean
  /** The order's market is for runes. */
  sellsRunes: boolean
  buyer: readonly BuyerOutput[]
  /** What those outputs are needed for by open orders here. */
  needed: readonly OutputTrouble[]
}): Notice[] {
  const assumed = buyer.filter(({ isSizeAssumed }) => isSizeAssumed)
  const allExamined =
    buyer.every(({ runesExamined }) => runesExamined) && offered.assets?.runes !== null
  return [
    {
      code: 'REPLACEABLE_BY_ANYONE',
      message: 'Anyone can replace this purchase with another one before it confirms.',
    },
    ...places.map(({ id, offset }) => ({
      code: 'ASSET_OFFSET',
      message: `${id} arrives in output ${ASSET_OUTPUT} at offset ${offset}.`,
    })),
    ...runesNotices(offered.assets?.runes, sellsRunes),
    ...(movesRunes
      ? [
          {
            code: 'RUNES_POINTER',
            message: `Runes of the offered output arrive in output ${ASSET_OUTPUT}: output ${layout.outputs.length - 1} says so.`,
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
    ...assumed.map(({ input }) => sizeAssumed(input.outpoint)),
    ...endedOrders(needed),
  ]
}
