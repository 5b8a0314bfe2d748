import { z } from 'zod'
import { BlockHash, InscriptionId, OutpointText } from '../scalars.ts'

/**
 * What an ord server answers to `Accept: application/json` (0.27 to 0.29), as far as it is read
 * here. Fields not named are ignored.
 */
export const OrdStatus = z.object({
  /** Null: no block is indexed yet. */
  height: z.int().nonnegative().nullable(),
  unrecoverably_reorged: z.boolean(),
  inscription_index: z.boolean(),
  rune_index: z.boolean(),
  sat_index: z.boolean(),
  /** How long the index's first sync to the tip took: stored in the index itself. */
  initial_sync_time: z.object({ secs: z.int(), nanos: z.int() }),
  /** When the process started. */
  started: z.string(),
})
export type OrdStatus = z.infer<typeof OrdStatus>

/** Atomic units, a u128: text if a float could not hold it. */
const RuneAmount = z.union([z.string().regex(/^[0-9]+$/), z.int().nonnegative().transform(String)])

export const OrdOutput = z.object({
  indexed: z.boolean(),
  /** Its node does not list it as unspent now, whatever the fate of its transaction. */
  spent: z.boolean(),
  /** Confirmations of its transaction; 0: in the mempool, or in no block of the best chain. */
  confirmations: z.int().nonnegative(),
  /** By sequence number; null: ord runs without an inscription index. */
  inscriptions: z.array(InscriptionId).nullable(),
  /** By spaced name; null: ord runs without --index-runes. */
  runes: z.record(z.string(), z.object({ amount: RuneAmount })).nullable(),
})
export type OrdOutput = z.infer<typeof OrdOutput>

const OrdAddressOutput = OrdOutput.extend({
  outpoint: OutpointText,
  /** Sats. */
  value: z.int().nonnegative(),
})
export type OrdAddressOutput = z.infer<typeof OrdAddressOutput>

/** `GET /outputs/ADDRESS`, of an ord with --index-addresses. */
export const OrdAddressOutputs = z.array(OrdAddressOutput)

export const OrdInscription = z.object({
  id: InscriptionId,
  number: z.int(),
  /** `txid:vout:offset`. */
  satpoint: z.string().regex(/^[0-9a-f]{64}:(?:0|[1-9][0-9]{0,9}):(?:0|[1-9][0-9]{0,15})$/),
})
export type OrdInscription = z.infer<typeof OrdInscription>

export const OrdBlockHash = BlockHash

/** `GET /offers`: base64 PSBTs in the order of submission, unchecked. */
export const OrdOffers = z.object({ offers: z.array(z.string()) })
export type OrdOffers = z.infer<typeof OrdOffers>
