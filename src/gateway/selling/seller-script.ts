import { scriptOfAddress } from '../../domain/script/address.ts'
import { Hex, type Network } from '../../schemas/scalars.ts'
import { RefusalError } from '../refusal.ts'

/**
 * The output script that names a seller: given as lowercase hex, or as an address of the network.
 *
 * @throws RefusalError VALIDATION_FAILED
 */
export function sellerScript(seller: string, network: Network): string {
  const script = Hex.safeParse(seller).success ? seller : scriptOfAddress(seller, network)
  if (script !== null) return script
  const form = `seller: must be an output script in lowercase hex or an address of ${network}`
  throw new RefusalError('VALIDATION_FAILED', form)
}
