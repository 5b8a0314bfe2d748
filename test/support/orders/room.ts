import type { Question } from '../../../src/actors/events/question.ts'
import { isProved } from '../../../src/domain/order/proved.ts'
import type { Evidence } from '../../../src/schemas/evidence.ts'
import type { CommandRecord } from '../../../src/schemas/log.ts'
import type { OfferClaim, OrderRecord } from '../../../src/schemas/order-record.ts'
import { importOf, type WorkerHost } from '../log/worker-host.ts'
import {
  AT,
  askClaim,
  bidClaim,
  evidenceOf,
  FUNDING,
  FUNDING_OUTPOINT,
  hash,
  nodeSays,
  PAYOUT,
  PREVOUT,
  SELLER,
  signatureOf,
  unspent,
} from './evidence.ts'

/** Seconds after the first record. */
export const timeOf = (second: number): string =>
  new Date(Date.parse(AT) + second * 1_000).toISOString()

/** Asks and bids of one output: those named `junk…` are not signed by any owner. */
export const askNamed = (name: string, price = 500_000, second = 0): OfferClaim =>
  askClaim({
    wrapper: name,
    offer: { payouts: [{ ...PAYOUT, valueSats: String(price) }] },
    source: { observedAt: timeOf(second) },
  })

/** It pays this many sats for the output, above what the output holds. */
export const bidNamed = (name: string, price: number): OfferClaim =>
  bidClaim({
    wrapper: name,
    offer: {
      payouts: [{ valueSats: String(price + Number(PREVOUT.valueSats)), scriptHex: SELLER }],
    },
  })

const nameOf = ({ artifact }: OfferClaim): string => Buffer.from(artifact, 'base64').toString()

export const importNamed = (claim: OfferClaim): CommandRecord => ({
  ...importOf(claim, nameOf(claim), hash(nameOf(claim))),
  at: claim.source.observedAt,
})

/** The authorities' answers about them. */
export const truthOf = ({ claims }: Question): Evidence =>
  evidenceOf({
    node: nodeSays({
      funding: [
        {
          outpoint: FUNDING_OUTPOINT,
          output: unspent({ output: FUNDING }),
          signature: 'VALID',
        },
      ],
      signatures: claims.map((claim) =>
        signatureOf(claim, nameOf(claim).startsWith('junk') ? 'INVALID' : 'VALID'),
      ),
    }),
  })

export const orderNamed = (host: WorkerHost, name: string): OrderRecord => host.order(hash(name))

const isOpen = ({ closedAt }: OrderRecord): boolean => closedAt === null

export const openAt = ({ orders }: WorkerHost) => ({
  unproved: orders.filter((order) => isOpen(order) && !isProved(order)),
  asks: orders.filter(
    (order) => isOpen(order) && isProved(order) && order.kept.offer.side === 'ASK',
  ),
  bids: orders.filter(
    (order) => isOpen(order) && isProved(order) && order.kept.offer.side === 'BID',
  ),
})
