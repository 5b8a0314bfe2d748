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
  destinationAddress: z.string().max(128).describe('address that receives the output'),
  feeRateSatsPerVb: FeeRateInput.exactOptional().describe(
    'fee rate, sat/vB with at most three decimals; by default the estimate of the node',
  ),
  fundingUtxos: z
    .array(Outpoint)
    .min(1)
    .max(MAX_FEE_OUTPUTS)
    .exactOptional()
    .describe('outputs that pay the fee; without any, the fee is taken from the output'),
  changeAddress: z
    .string()
    .max(128)
    .exactOptional()
    .describe('address of their change; by default the destination'),
})
export type SelfSpendRequest = z.infer<typeof SelfSpendRequest>

/** A transaction for the owner to sign: once a block holds it, every authorisation has ended. */
export const SelfSpend = z.strictObject({
  outpoint: OutpointText.describe('the output that is spent'),
  network: Network.describe('the Bitcoin network'),
  psbt: z.string().describe('the PSBT for the owner to sign, base64'),
  authorisations: z
    .int()
    .describe('number of authorisations seen here that it ends; it ends any other as well'),
  destinationAddress: z.string().describe('address that receives the output'),
  inputOutpoints: z.array(Outpoint).describe('outputs that are spent, in input order'),
  outputScriptsHex: z.array(Hex).describe('scripts of the outputs in order, hex'),
  outputValuesSats: z.array(AtomicSats).describe('values of the outputs in order, sats'),
  networkFeeSats: AtomicSats.describe('network fee, sats'),
  feeRateSatsPerVb: z.string().describe('fee rate, sat/vB'),
  estimatedVbytes: z.string().describe('estimated size of the signed transaction, vB'),
  changeSats: AtomicSats.describe('change of the outputs that pay the fee, sats'),
  inscriptions: z
    .array(
      z.strictObject({
        id: InscriptionId.describe('inscription id'),
        offset: AtomicSats.describe('offset of its sat in output 0, sats'),
      }),
    )
    .describe('what the output holds, and where each inscription’s sat will be in output 0'),
  checkpoint: z
    .strictObject({
      ...BlockRef.shape,
      assetIndexHeight: z.int().nonnegative().describe('height of the asset index'),
    })
    .describe('tip of the node, and height of the index, that it was made at'),
  observedAt: Timestamp.describe('when it was made'),
  notices: z.array(Notice).describe('what the owner should know'),
})
export type SelfSpend = z.infer<typeof SelfSpend>
