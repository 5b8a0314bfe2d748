import { z } from 'zod'
import { MomentText, STATISTIC_PAGING } from '../api/statistics.ts'
import { Evidence } from '../evidence.ts'
import {
  AtomicSats,
  Hash,
  InscriptionId,
  OrderId,
  OrderSide,
  OrderState,
  OutpointText,
  Timestamp,
  Txid,
} from '../scalars.ts'

/** What an order was after one of its changes, and the evidence of that change. */
export const OrderVersion = z.strictObject({
  seq: z.int().positive(),
  kind: z.enum(['transition', 'verified', 'noted']),
  fromState: OrderState.nullable(),
  state: OrderState,
  reason: z.string(),
  actor: z.string(),
  /** Kind of the inbox record that caused the change; null: the order was in the pool. */
  cause: z.string().nullable(),
  observedAt: Timestamp,
  /** When this change and all before it had been observed. */
  inForceFrom: Timestamp,
  /** Excluded; null: it is in force. The same as `inForceFrom`: it never was. */
  inForceUntil: Timestamp.nullable(),
  outpoint: OutpointText,
  protocolId: z.string().nullable().describe('as told in this version; untrusted'),
  token: z.string().nullable().describe('as told in this version; untrusted'),
  side: OrderSide.nullable(),
  quotedPriceSats: AtomicSats.nullable().describe(
    'the signed price: of an ask with the postage, of a bid without it',
  ),
  inscriptionIds: z.array(InscriptionId),
  spendTxid: Txid.nullable(),
  spendHeight: z.int().nullable().describe('null: in the mempool, or not spent'),
  settlementTxid: Txid.nullable(),
  /** The answers that it was decided by; null: no authority was asked, or it is withheld. */
  evidence: Evidence.nullable(),
  /** Null: the log does not have it, because the order is not proved yet. */
  hash: Hash.nullable(),
  prevHash: Hash.nullable(),
})
export type OrderVersion = z.infer<typeof OrderVersion>

export const OrderVersionPage = z.strictObject({
  orderId: OrderId,
  /** An operator hides the order: `protocolId`, `token` and `evidence` are null. */
  isWithheld: z.boolean(),
  versions: z.array(OrderVersion),
  limit: z.int(),
  nextCursor: z.string(),
  hasMore: z.boolean(),
})
export type OrderVersionPage = z.infer<typeof OrderVersionPage>

const MAX_VERSIONS = 100
const { cursor, offset } = STATISTIC_PAGING

export const OrderVersionQuery = z.object({
  at: MomentText.exactOptional().describe(
    'only the version in force at this day or time in UTC, or at the block of this height',
  ),
  limit: z
    .string()
    .regex(/^[1-9][0-9]{0,2}$/, `must be a decimal number from 1 to ${MAX_VERSIONS}`)
    .transform(Number)
    .refine((limit) => limit <= MAX_VERSIONS, `must be a decimal number from 1 to ${MAX_VERSIONS}`)
    .default(50)
    .describe(`versions per page: 1 to ${MAX_VERSIONS}, 50 by default`),
  cursor,
  offset,
})
export type OrderVersionQuery = z.infer<typeof OrderVersionQuery>
