import type { Network } from '../../schemas/scalars.ts'
import { addressOfScript } from '../script/address.ts'

/** The rows that name a seller's script with its address too; null for a script that has none. */
export const withAddresses = <Row extends Readonly<Record<string, unknown>>>(
  rows: readonly Row[],
  network: Network,
): (Row | (Row & { seller_address: string | null }))[] =>
  rows.map((row) => {
    const script = row['seller_script_hex']
    if (script === undefined) return row
    const address = typeof script === 'string' ? addressOfScript(script, network) : null
    return { ...row, seller_address: address }
  })
