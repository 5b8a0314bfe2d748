import { z } from 'zod'
import { Notice } from '../../order.ts'
import {
  AtomicSats,
  BlockRef,
  Hex,
  InscriptionId,
  Network,
  Outpoint,
  OutpointText,
  Timestamp,
} from '../../scalars.ts'
import { FeeRateInput } from '../purchase.ts'

/** Outputs whose spend pays for the self-spend: each costs the authorities a question. */
const MAX_FEE_OUTPUTS = 15

export const SelfSpendRequest = z.strictObject({
  destinationAddress: z.string().max(128),
  feeRateSatsPerVb: FeeRateInput.exactOptional(),
  /** They pay the fee, so that the output keeps its value; without any, the fee is taken from it. */
  fundingUtxos: z.array(Outpoint).min(1).max(MAX_FEE_OUTPUTS).exactOptional(),
  /** Where their change goes; the destination, if absent. */
  changeAddress: z.string().max(128).exactOptional(),
})
export type SelfSpendRequest = z.infer<typeof SelfSpendRequest>

/** A transaction for the owner to sign: once a block holds it, every authorisation has ended. */
export const SelfSpend = z.strictObject({
  outpoint: OutpointText,
  network: Network,
  /** Unsigned. */
  psbt: z.string(),
  /** How many authorisations it ends: those seen here, and any other. */
  authorisations: z.int(),
  destinationAddress: z.string(),
  inputOutpoints: z.array(Outpoint),
  outputScriptsHex: z.array(Hex),
  outputValuesSats: z.array(AtomicSats),
  networkFeeSats: AtomicSats,
  feeRateSatsPerVb: z.string(),
  estimatedVbytes: z.string(),
  changeSats: AtomicSats,
  /** What the output holds, and where each inscription's sat will be in output 0. */
  inscriptions: z.array(z.strictObject({ id: InscriptionId, offset: AtomicSats })),
  checkpoint: z.strictObject({ ...BlockRef.shape, assetIndexHeight: z.int().nonnegative() }),
  observedAt: Timestamp,
  notices: z.array(Notice),
})
export type SelfSpend = z.infer<typeof SelfSpend>
