import { type NostrEnvelope, SALE_EVENT_KIND } from '../../schemas/wire/nostr.ts'
import type { CommandParts, Gateway } from '../gateway.ts'
import { releasableOrder } from './read-artifact.ts'

const NOTICE =
  'Unsigned: sign it with your own Nostr key and publish it yourself. Publishing hands the signed ' +
  'PSBT to everyone and cannot be recalled: anyone who has it can complete it until the offered ' +
  'output is spent.'

/**
 * An unsigned kind 802 event that announces an order (gateway spec 4.2;
 * docs/design/orders.md#kind-802-events). It carries the artifact, so the same release rules apply.
 *
 * @throws RefusalError as `releasableOrder`
 */
export async function nostrEnvelope(
  gateway: CommandParts & Pick<Gateway, 'pool'>,
  id: string,
  signal: AbortSignal,
): Promise<NostrEnvelope> {
  const { order } = await releasableOrder(gateway, id, signal)
  const asset = order.assets[0]?.inscriptionId
  const price = order.quotedPriceSats
  const isBid = order.kept.inspection.orderClass === 'BID_FULLY_FUNDED'
  return {
    kind: SALE_EVENT_KIND,
    created_at: Math.floor(gateway.clock.now() / 1_000),
    tags: [
      ['n', order.network],
      ['t', isBid ? 'buy' : 'sell'],
      ...(asset === undefined ? [] : [['i', asset]]),
      ['u', order.outpoint],
      ...(price === undefined ? [] : [['s', price]]),
      ['x', 'market'],
    ],
    content: order.kept.artifact,
    notice: NOTICE,
  }
}
