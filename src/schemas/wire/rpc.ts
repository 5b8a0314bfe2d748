import { z } from 'zod'
import { AtomicSats, BlockHash, Hex, Txid } from '../scalars.ts'

/**
 * Bitcoin Core's RPC answers, as far as they are read here. Numbers with a fraction arrive as text
 * (`parseExactJson`): an amount never passes through a float. Fields not named are ignored.
 */
export const RpcReply = z.object({
  id: z.int(),
  result: z.unknown().optional(),
  error: z.object({ code: z.int(), message: z.string() }).nullish(),
})
export type RpcReply = z.infer<typeof RpcReply>

/** Bitcoin Core's ValueFromAmount writes eight decimals; a whole number is accepted as well. */
export const BtcAmount = z
  .union([z.string(), z.int().transform(String)])
  .pipe(z.string().regex(/^(?:0|[1-9][0-9]*)(?:\.[0-9]{1,8})?$/, 'must be an amount of BTC'))
  .transform((btc) => {
    const [whole = '0', fraction = ''] = btc.split('.')
    return BigInt(whole + fraction.padEnd(8, '0')).toString()
  })
  .pipe(AtomicSats)

export const BlockchainInfo = z.object({
  chain: z.string(),
  blocks: z.int().nonnegative(),
  headers: z.int().nonnegative(),
  bestblockhash: BlockHash,
  time: z.int(),
  mediantime: z.int(),
  initialblockdownload: z.boolean(),
  pruned: z.boolean(),
  pruneheight: z.int().nonnegative().optional(),
})
export type BlockchainInfo = z.infer<typeof BlockchainInfo>

export const NetworkInfo = z.object({ version: z.int(), subversion: z.string() })

export const MempoolInfo = z.object({ loaded: z.boolean() })
export const MempoolFees = z.object({ mempoolminfee: BtcAmount, minrelaytxfee: BtcAmount })

export const BlockHeader = z.object({
  hash: BlockHash,
  height: z.int().nonnegative(),
  /** -1: not on the best chain. */
  confirmations: z.int(),
  time: z.int(),
  mediantime: z.int(),
  previousblockhash: BlockHash.optional(),
})

export const TxOutReply = z.object({
  bestblock: BlockHash,
  confirmations: z.int().nonnegative(),
  value: BtcAmount,
  scriptPubKey: z.object({ hex: Hex }),
  coinbase: z.boolean(),
})

/** Only its presence is read. */
export const MempoolEntry = z.object({ vsize: z.int() })

export const SpendingPrevouts = z.array(
  z.object({
    txid: Txid,
    vout: z.int().nonnegative(),
    spendingtxid: Txid.optional(),
    /** The spender is confirmed: only a node with a spender index (31 and later) says so. */
    blockhash: BlockHash.optional(),
  }),
)

/** Up to eight megabytes: checked to be hex only when decoded. */
export const BlockHex = z.string()

/** The bytes of a block, unless they were decoded on the way. */
export const BlockBytes = z.union([
  z.instanceof(Uint8Array),
  z.string().transform((hex) => Buffer.from(hex, 'hex')),
])

export const RawTransactionAnswer = z.object({
  txid: Txid,
  hex: Hex,
  blockhash: BlockHash.optional(),
  /** 0 with a block hash: the block is stale. */
  confirmations: z.int().optional(),
})

/** `getrawtransaction` at verbosity 2 (25.0 and later) of a transaction in a block. */
export const SpendingTransaction = z.object({
  txid: Txid,
  vin: z.array(
    z.object({
      prevout: z.object({ value: BtcAmount, scriptPubKey: z.object({ hex: Hex }) }).optional(),
    }),
  ),
})
export type SpendingTransaction = z.infer<typeof SpendingTransaction>

/** The txids as text between the brackets, if that was cut out of the answer: see `cutTxids`. */
export const RawMempool = z.object({
  txids: z.union([z.instanceof(Uint8Array), z.array(Txid)]),
  mempool_sequence: z.int().nonnegative(),
})

export const MempoolAccept = z.tuple([
  z.object({
    txid: Txid,
    allowed: z.boolean(),
    vsize: z.int().optional(),
    fees: z.object({ base: BtcAmount }).optional(),
    'reject-reason': z.string().optional(),
  }),
])
export type MempoolAccept = z.infer<typeof MempoolAccept>

export const FeeEstimate = z.object({ feerate: BtcAmount.optional() })

export const PsbtAnalysis = z.object({
  inputs: z.array(z.object({ is_final: z.boolean() })).optional(),
})
