import type { Offer } from '../../schemas/order-record.ts'
import type { TxOut } from '../../schemas/scalars.ts'
import { type FeeRate, feeAt } from '../chain/fee-rate.ts'
import { addressOfScript } from './address.ts'
import { instructionsOf, isPushing } from './script-instructions.ts'
import { bytesOf, P2PKH, P2SH, P2TR, P2WPKH, P2WSH, readMultisig } from './script-template.ts'

/** Core's dust relay fee, sat/kvB: an output is dust when spending it costs more than a third of it. */
const DUST_RELAY_SATS_PER_KVB = 3_000n
/** Size of the input that spends an output, vB: witness programs, and all others (Core `GetDustThreshold`). */
const WITNESS_SPEND_VBYTES = 67n
const LEGACY_SPEND_VBYTES = 148n
const MAX_STANDARD_VERSION = 3
/** BIP431: a larger transaction of version 3 is not relayed. */
export const TRUC_VERSION = 3
export const MAX_TRUC_VBYTES = 10_000
/**
 * Core DEFAULT_MIN_RELAY_TX_FEE since 29.1 and 30.0, sat/kvB; 1,000 before. A transaction of version 3
 * may pay less: nodes take it together with a child (BIP431).
 */
const MIN_RELAY_SATS_PER_KVB: FeeRate = 100n
/** Outpoint, sequence and an empty scriptSig: a witness may add to it. */
const LEAST_INPUT_VBYTES = 41
/** Value, and the length of a short script. */
const LEAST_OUTPUT_VBYTES = 9
/** The most keys of a bare multisig output that nodes relay. */
const MAX_BARE_KEYS = 3
/** OP_RETURN scripts that Core relays by default: their total bytes, and how many. */
const EVERYWHERE = { bytes: 83, outputs: 1 }
/** Higher limits from this version on (`-datacarriersize`). */
const CORE_30 = 300_000
const SINCE_CORE_30 = { bytes: 100_000, outputs: Infinity }

const P2PK = /^(?:210[23][0-9a-f]{64}|4104[0-9a-f]{128})ac$/
/** Pay to anchor: anyone may spend it. */
const P2A = /^51024e73$/
const OP_RETURN = /^6a/
const STANDARD = [P2TR, P2WPKH, P2WSH, P2SH, P2PKH, P2PK, P2A]
/** A version opcode and one push of 2 to 40 bytes that ends the script (BIP141). */
const WITNESS_PROGRAM = /^(?:00|5[1-9a-f]|60)([0-9a-f]{2})((?:[0-9a-f]{2})+)$/

/** Is this script a witness program of any version? */
export function isWitnessProgram(scriptHex: string): boolean {
  const [, length, program] = WITNESS_PROGRAM.exec(scriptHex) ?? []
  if (length === undefined || program === undefined) return false
  const bytes = Number.parseInt(length, 16)
  return bytes === program.length / 2 && bytes >= 2 && bytes <= 40
}

/**
 * Is it a witness program that no key or script can spend, such as a taproot key that is not a point
 * of the curve (BIP340), or one that anyone can?
 */
export const isOwnerless = (scriptHex: string): boolean =>
  isWitnessProgram(scriptHex) && addressOfScript(scriptHex, 'mainnet') === null

/** Is it a taproot output whose key is not a point of the curve (BIP340)? No signature spends it. */
export const hasNoKey = (scriptHex: string): boolean =>
  P2TR.test(scriptHex) && isOwnerless(scriptHex)

/** The least value in sats that the network relays for an output of this script. */
export function dustThreshold(scriptHex: string): bigint {
  const scriptBytes = BigInt(scriptHex.length / 2)
  const outputBytes = 8n + (scriptBytes < 253n ? 1n : 3n) + scriptBytes
  const spend = isWitnessProgram(scriptHex) ? WITNESS_SPEND_VBYTES : LEGACY_SPEND_VBYTES
  return ((outputBytes + spend) * DUST_RELAY_SATS_PER_KVB) / 1000n
}

/** The policies of relaying nodes that a completion may break. */
export type RelayPolicy =
  | 'version'
  | 'size'
  | 'fee'
  | 'data_outputs'
  | 'data_bytes'
  | 'script'
  | 'dust'

export interface RelayFault {
  policy: RelayPolicy
  /** The place of the payout in the offer, if it is about one. */
  payout: number | null
}

/** What is known of any completion of an offer, from its signatures. */
export interface KnownCompletion {
  leastVbytes: bigint
  /** Null for an ask: its buyer pays. */
  feeSats: bigint | null
}

/** The fee in sats below which nodes relay no transaction of this many vB alone. */
export const leastFee = (vbytes: bigint): bigint => feeAt(MIN_RELAY_SATS_PER_KVB, vbytes)

/** What relaying may depend on besides the offer. */
export interface RelayFacts {
  coreVersion?: number | undefined
  /** Null: not known, and not checked. */
  completion?: KnownCompletion | null
}

/** Does the network relay a completion of this offer? */
export const isRelayable = (offer: Offer, facts?: RelayFacts): boolean =>
  relayFaults(offer, facts).length === 0

/**
 * Every policy of relaying nodes that a completion of this offer breaks. An ask binds its payout; a bid binds every
 * output, some of which may carry data: as much as the node in use relays, by its version. A
 * witness version without rules is refused, although nodes relay it: anyone could spend such a
 * payout.
 */
export function relayFaults(
  offer: Offer,
  { coreVersion = 0, completion = null }: RelayFacts = {},
): RelayFault[] {
  const { side, version, payouts } = offer
  const most = coreVersion >= CORE_30 ? SINCE_CORE_30 : EVERYWHERE
  const isData = ({ scriptHex }: TxOut) => side === 'BID' && isDataScript(scriptHex)
  const data = payouts.filter(isData)
  const ofAll = (policy: RelayPolicy, isBroken: boolean): RelayFault[] =>
    isBroken ? [{ policy, payout: null }] : []
  return [
    ...ofAll('version', version < 1 || version > MAX_STANDARD_VERSION),
    ...ofAll('size', version === TRUC_VERSION && leastVbytes(offer, completion) > MAX_TRUC_VBYTES),
    ...ofAll('fee', version !== TRUC_VERSION && isFeeShort(completion)),
    ...ofAll('data_outputs', data.length > most.outputs),
    ...ofAll('data_bytes', bytesIn(data) > most.bytes),
    ...payouts.flatMap((output, payout) => {
      const policy = isData(output) ? null : brokenBy(output)
      return policy === null ? [] : [{ policy, payout }]
    }),
  ]
}

function brokenBy({ scriptHex, valueSats }: TxOut): RelayPolicy | null {
  const isStandard =
    STANDARD.some((pattern) => pattern.test(scriptHex)) || isBareMultisig(scriptHex)
  if (!isStandard) return 'script'
  return BigInt(valueSats) < dustThreshold(scriptHex) ? 'dust' : null
}

function isBareMultisig(scriptHex: string): boolean {
  const multisig = readMultisig(bytesOf(scriptHex))
  return multisig !== null && multisig.keys.length <= MAX_BARE_KEYS
}

/** Core NULL_DATA: OP_RETURN, and behind it only pushes. */
const isDataScript = (scriptHex: string): boolean =>
  OP_RETURN.test(scriptHex) &&
  (instructionsOf(bytesOf(scriptHex).subarray(1))?.every(isPushing) ?? false)

const isFeeShort = (completion: KnownCompletion | null): boolean =>
  completion !== null &&
  completion.feeSats !== null &&
  completion.feeSats < leastFee(completion.leastVbytes)

/** A bid is no smaller without its witnesses, and an ask has more inputs. */
function leastVbytes({ sequences, payouts }: Offer, completion: KnownCompletion | null): number {
  const bare =
    LEAST_INPUT_VBYTES * sequences.length + LEAST_OUTPUT_VBYTES * payouts.length + bytesIn(payouts)
  return Math.max(bare, Number(completion?.leastVbytes ?? 0n))
}

const bytesIn = (outputs: readonly TxOut[]): number =>
  outputs.reduce((bytes, { scriptHex }) => bytes + scriptHex.length / 2, 0)
