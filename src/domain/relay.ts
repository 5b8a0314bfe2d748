import type { Offer } from '../schemas/order-record.ts'
import type { TxOut } from '../schemas/scalars.ts'

/** Core's dust relay fee, sat/kvB: an output is dust when spending it costs more than a third of it. */
const DUST_RELAY_SATS_PER_KVB = 3_000n
/** Size of the input that spends an output, vB: witness programs, and all others (Core `GetDustThreshold`). */
const WITNESS_SPEND_VBYTES = 67n
const LEGACY_SPEND_VBYTES = 148n
const MAX_STANDARD_VERSION = 3

const P2PKH = /^76a914[0-9a-f]{40}88ac$/
const P2SH = /^a914[0-9a-f]{40}87$/
const P2PK = /^(?:21[0-9a-f]{66}|41[0-9a-f]{130})ac$/
/** A version opcode and one push of 2 to 40 bytes that ends the script (BIP141). */
const WITNESS_PROGRAM = /^(?:00|5[1-9a-f]|60)([0-9a-f]{2})((?:[0-9a-f]{2})+)$/

/** Is this script a witness program of any version? */
export function isWitnessProgram(scriptHex: string): boolean {
  const [, length, program] = WITNESS_PROGRAM.exec(scriptHex) ?? []
  if (length === undefined || program === undefined) return false
  const bytes = Number.parseInt(length, 16)
  return bytes === program.length / 2 && bytes >= 2 && bytes <= 40
}

/** The least value in sats that the network relays for an output of this script. */
export function dustThreshold(scriptHex: string): bigint {
  const scriptBytes = BigInt(scriptHex.length / 2)
  const outputBytes = 8n + (scriptBytes < 253n ? 1n : 3n) + scriptBytes
  const spend = isWitnessProgram(scriptHex) ? WITNESS_SPEND_VBYTES : LEGACY_SPEND_VBYTES
  return ((outputBytes + spend) * DUST_RELAY_SATS_PER_KVB) / 1000n
}

const isPayable = ({ scriptHex }: TxOut): boolean =>
  isWitnessProgram(scriptHex) ||
  P2PKH.test(scriptHex) ||
  P2SH.test(scriptHex) ||
  P2PK.test(scriptHex)

/** Does the network relay a completion of this offer: its version, and every payout above dust? */
export const isRelayable = ({ version, payouts }: Offer): boolean =>
  version >= 1 &&
  version <= MAX_STANDARD_VERSION &&
  payouts.every(
    (payout) => isPayable(payout) && BigInt(payout.valueSats) >= dustThreshold(payout.scriptHex),
  )
