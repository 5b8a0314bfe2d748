import { scriptOfAddress } from '../../domain/script/address.ts'
import type { OwnedOutput } from '../../ports/authorities/asset-index.ts'
import { type AddressOutputs, MAX_OWNED } from '../../schemas/api/outputs/owned.ts'
import type { Gateway } from '../gateway.ts'
import type { FindOpenOrders } from '../order/orders-of-output.ts'
import { askAuthorities } from '../purchase/bounded-authorities.ts'
import { RefusalError } from '../refusal.ts'
import { examineOutpoints, judgedOutputs } from './check-outputs.ts'

/**
 * The unspent outputs of an address, each examined as one that a purchase names. The index knows
 * which; the node has the last word about each.
 *
 * @throws RefusalError BAD_REQUEST, NODE_UNAVAILABLE, ASSET_INDEX_UNAVAILABLE, STORAGE_UNAVAILABLE
 */
export async function readAddressOutputs(
  gateway: Pick<Gateway, 'node' | 'index' | 'clock' | 'settings'>,
  openOrders: FindOpenOrders,
  address: string,
  signal: AbortSignal,
): Promise<AddressOutputs> {
  const { network } = gateway.settings
  if (scriptOfAddress(address, network) === null) {
    throw new RefusalError('BAD_REQUEST', `address: is not an address of ${network}`)
  }
  const { total, ...read } = await askAuthorities(gateway, signal, async (authorities) => {
    const owned = await authorities.index.outputsOf(address)
    if (owned === null) throw new RefusalError('ASSET_INDEX_UNAVAILABLE', FOLLOWS_NO_ADDRESS)
    const outpoints = mostUseful(owned).map(({ outpoint }) => outpoint)
    return { ...(await examineOutpoints(authorities, outpoints)), total: owned.length }
  })
  if (read.examined.status === 'unavailable') {
    const reason = `the index gives no answer: ${read.examined.reason}`
    throw new RefusalError('ASSET_INDEX_UNAVAILABLE', reason)
  }
  return { address, ...(await judgedOutputs(gateway, openOrders, read)), total }
}

const FOLLOWS_NO_ADDRESS =
  'the index does not follow addresses: its operator runs ord with --index-addresses'

/** What may be sold, then what pays most: neither leaves less than half of the answer to the other. */
function mostUseful(owned: readonly OwnedOutput[]): OwnedOutput[] {
  const largestFirst = [...owned].sort(byValue)
  const sold = largestFirst.filter(({ holdsInscriptions }) => holdsInscriptions)
  const paying = largestFirst.filter(({ holdsInscriptions }) => !holdsInscriptions)
  const roomToSell = Math.max(MAX_OWNED / 2, MAX_OWNED - paying.length)
  return [...sold.slice(0, roomToSell), ...paying].slice(0, MAX_OWNED)
}

const byValue = (one: OwnedOutput, other: OwnedOutput): number =>
  Number(BigInt(other.valueSats) - BigInt(one.valueSats))
