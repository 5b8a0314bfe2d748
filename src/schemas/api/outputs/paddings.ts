import { z } from 'zod'
import { Notice } from '../../order.ts'
import { AtomicSats, BlockRef, Hex, Network, Outpoint, Timestamp, Txid } from '../../scalars.ts'
import { FeeRateInput } from '../purchase.ts'

const MAX_PADDINGS = 20
/** Each costs the authorities a question. */
const MAX_FUNDING = 15

export const PaddingsRequest = z.strictObject({
  paymentAddress: z
    .string()
    .max(128)
    .describe('the buyer’s address for paddings and change: the one that a quote names'),
  fundingUtxos: z
    .array(Outpoint)
    .min(1)
    .max(MAX_FUNDING)
    .describe('outputs of the buyer that pay, spent in this order, as few as are enough'),
  count: z
    .int()
    .min(1)
    .max(MAX_PADDINGS)
    .exactOptional()
    .describe('number of paddings; by default 2, which a purchase takes'),
  sats: AtomicSats.exactOptional().describe('value of each padding, sats; by default 600'),
  feeRateSatsPerVb: FeeRateInput.exactOptional().describe(
    'fee rate, sat/vB with at most three decimals; by default the estimate of the node',
  ),
})
export type PaddingsRequest = z.infer<typeof PaddingsRequest>

/** A transaction composed here, for its owner to sign and to broadcast. */
export const TransactionPlan = z.strictObject({
  network: Network.describe('the Bitcoin network'),
  psbt: z.string().describe('the PSBT to sign, base64, version 0'),
  unsignedTxid: Txid.describe('txid of the unsigned transaction; that of a segwit spend stays'),
  inputs: z
    .array(
      z.strictObject({
        outpoint: Outpoint.describe('the output that is spent'),
        valueSats: AtomicSats.describe('its value, sats'),
        scriptHex: Hex.describe('its script, hex'),
        role: z.enum(['BUYER_FUNDING']).describe('what it is for'),
      }),
    )
    .describe('outputs that are spent, in input order'),
  outputs: z
    .array(
      z.strictObject({
        valueSats: AtomicSats.describe('its value, sats'),
        scriptHex: Hex.describe('its script, hex'),
        address: z.string().nullable().describe('the address that names its script'),
        role: z.enum(['PADDING', 'CHANGE']).describe('what it is for'),
      }),
    )
    .describe('outputs that are made, in order'),
  toSign: z
    .array(
      z.strictObject({
        inputIndex: z.int().nonnegative().describe('index of the input, from 0'),
        address: z.string().nullable().describe('the address that names its script'),
        scriptHex: Hex.describe('the script whose key signs it, hex'),
        sighash: z.enum(['ALL']).describe('what the signature commits to'),
      }),
    )
    .describe('inputs that the owner signs; a wallet is given these and no others'),
  networkFeeSats: AtomicSats.describe('network fee, sats'),
  feeRateSatsPerVb: z.string().describe('fee rate, sat/vB'),
  estimatedVbytes: z.string().describe('estimated size of the signed transaction, vB'),
  changeSats: AtomicSats.describe('change, sats'),
  checkpoint: z
    .strictObject({
      ...BlockRef.shape,
      assetIndexHeight: z.int().nonnegative().describe('height of the asset index'),
    })
    .describe('tip of the node, and height of the index, that it was made at'),
  observedAt: Timestamp.describe('when it was made'),
  notices: z.array(Notice).describe('what the owner should know'),
})
export type TransactionPlan = z.infer<typeof TransactionPlan>
