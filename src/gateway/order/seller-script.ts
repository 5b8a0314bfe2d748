import { scriptOfAddress } from '../../domain/script/address.ts'
import { scriptNamed } from '../../domain/script/script-named.ts'
import { Network } from '../../schemas/scalars.ts'
import { RefusalError } from '../refusal.ts'

/**
 * The output script that names a seller: given as lowercase hex, or as an address of the network.
 *
 * @throws RefusalError VALIDATION_FAILED
 */
export function sellerScript(seller: string, network: Network): string {
  const script = scriptNamed(seller, network)
  if (script !== null) return script
  const form = `seller: must be an output script in lowercase hex or an address of ${network}`
  throw new RefusalError('VALIDATION_FAILED', form)
}

/**
 * The output script of an address of the network.
 *
 * @throws RefusalError WRONG_NETWORK for an address of another one, VALIDATION_FAILED for none
 */
export function scriptOfOwnAddress(address: string, network: Network): string {
  const script = scriptOfAddress(address, network)
  if (script !== null) return script
  const others = Network.options.filter((other) => scriptOfAddress(address, other) !== null)
  if (others.length > 0) {
    const reason = `address: is of ${others.join(' or ')}, and this service follows ${network}`
    throw new RefusalError('WRONG_NETWORK', reason)
  }
  throw new RefusalError('VALIDATION_FAILED', `address: must be an address of ${network}`)
}
