import { scriptOfAddress } from '../../domain/script/address.ts'
import { Hex, type Network } from '../../schemas/scalars.ts'
import { Refusal } from '../refusal.ts'

/**
 * The output script that names a seller: given as lowercase hex, or as an address of the network.
 *
 * @throws Refusal VALIDATION_FAILED
 */
export function sellerScript(seller: string, network: Network): string {
  const script = Hex.safeParse(seller).success ? seller : scriptOfAddress(seller, network)
  if (script !== null) return script
  const form = `seller: must be an output script in lowercase hex or an address of ${network}`
  throw new Refusal('VALIDATION_FAILED', form)
}
