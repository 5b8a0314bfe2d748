import { Hex, type Network } from '../../schemas/scalars.ts'
import { scriptOfAddress } from './address.ts'

/** The output script that is named: as it is, in lowercase hex, or by its address; null for neither. */
export const scriptNamed = (text: string, network: Network): string | null =>
  Hex.safeParse(text).success ? text : scriptOfAddress(text, network)
