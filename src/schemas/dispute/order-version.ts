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
  seq: z.int().positive().describe('number of the change that made this version, from 1'),
  kind: z
    .enum(['transition', 'verified', 'noted'])
    .describe(
      '`transition`: the state changed; `verified`: only its proof; `noted`: anything else',
    ),
  fromState: OrderState.nullable().describe('the state before; null: the first version'),
  state: OrderState.describe('state of this version'),
  reason: z.string().describe('code of why it has its state'),
  actor: z.string().describe('who caused the change'),
  cause: z
    .string()
    .nullable()
    .describe('kind of the inbox record that caused it; null: the order was in the pool'),
  observedAt: Timestamp.describe('when the change was observed'),
  inForceFrom: Timestamp.describe('when this change and all before it had been observed'),
  inForceUntil: Timestamp.nullable().describe(
    'until when it was in force, excluded; null: it is in force; `inForceFrom` again: it never was',
  ),
  outpoint: OutpointText.describe('the offered output'),
  protocolId: z.string().nullable().describe('as told in this version; untrusted'),
  token: z.string().nullable().describe('as told in this version; untrusted'),
  side: OrderSide.nullable().describe('ASK or BID; null: not known'),
  quotedPriceSats: AtomicSats.nullable().describe(
    'the signed price, sats: of an ask with the postage, of a bid without it',
  ),
  inscriptionIds: z.array(InscriptionId).describe('inscriptions that it is for'),
  spendTxid: Txid.nullable().describe('what spent the output; null: nothing'),
  spendHeight: z.int().nullable().describe('null: in the mempool, or not spent'),
  settlementTxid: Txid.nullable().describe('the transaction that bought it; null: none'),
  evidence: Evidence.nullable().describe(
    'the answers that it was decided by; null: no authority was asked, or it is withheld',
  ),
  hash: Hash.nullable().describe(
    'hash of the change; null: the order is not proved yet, so the log does not have it',
  ),
  prevHash: Hash.nullable().describe(
    'hash of the change before; null: the first, or not in the log',
  ),
})
export type OrderVersion = z.infer<typeof OrderVersion>

export const OrderVersionPage = z.strictObject({
  orderId: OrderId.describe('the order'),
  isWithheld: z
    .boolean()
    .describe('an operator hides the order: `protocolId`, `token` and `evidence` are null'),
  versions: z.array(OrderVersion).describe('versions of the order'),
  limit: z.int().describe('most versions of a page, as asked for'),
  nextCursor: z.string().describe('`cursor` of the next page; empty on the last page'),
  hasMore: z.boolean().describe('whether there is a next page'),
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
