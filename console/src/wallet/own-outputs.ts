import type { AddressOutputs, CheckedOutput, Outpoint } from 'psbt-market-client'
import { market } from '../api/market.ts'
import { outpointOf } from '../ui/forms/outpoints.ts'
import type { Connection } from './connection.ts'
import {
  type HeldInscriptions,
  type OwnInscription,
  type WalletAddress,
  WalletError,
} from './wallet-port.ts'

const PADDINGS = 2
const MAX_SMALL_SATS = 10_000n
/** A quote takes no more. */
const MAX_FUNDING = 62
const MAX_CHECKED = 100

/** Where assets are kept and sent, and where money is: with one address, the same. */
export const addressFor = (
  { addresses }: Pick<Connection, 'addresses'>,
  purpose: 'assets' | 'payments',
): WalletAddress => {
  const found = addresses.find((one) => one.purpose === purpose) ?? addresses[0]
  if (!found) throw new WalletError('no-address', 'The wallet has no address for this.')
  return found
}

export interface Sellable extends Pick<OwnInscription, 'number' | 'contentType'> {
  inscriptionId: string
  outpoint: Outpoint
  valueSats: string
  address: string
}

interface AllSellable {
  own: Sellable[]
  /** The wallet may hold more than was looked at. */
  isCut: boolean
}

/** The inscriptions of a wallet that no order offers yet, each alone in its output, as examined. */
export async function sellableOf(connection: Connection): Promise<AllSellable> {
  const { address } = addressFor(connection, 'assets')
  const told = await connection.wallet.inscriptions()
  const { outputs, isCut } = told ? await outputsOf(told) : await firstOutputsAt(address)
  const labels = new Map(told?.inscriptions.map((one) => [one.inscriptionId, one]))
  const own = outputs.flatMap(({ outpoint, output, troubles }) => {
    const [held, ...more] = troubles
    const isAlone = held?.code === 'holds_inscription' && !held.message.includes(' more')
    if (!output || !isAlone || more.length > 0 || held.subject === undefined) return []
    const { number, contentType } = labels.get(held.subject) ?? {}
    return [
      {
        inscriptionId: held.subject,
        outpoint,
        valueSats: output.valueSats,
        address,
        ...(number !== undefined && { number }),
        ...(contentType !== undefined && { contentType }),
      },
    ]
  })
  return { own, isCut }
}

interface Looked {
  outputs: CheckedOutput[]
  isCut: boolean
}

const outputsOf = async ({ inscriptions, isFull }: HeldInscriptions): Promise<Looked> => ({
  outputs: await checked(inscriptions.slice(0, MAX_CHECKED).map(({ output }) => output)),
  isCut: isFull,
})

async function firstOutputsAt(address: string): Promise<Looked> {
  const { outputs, total } = await outputsAt(address)
  return { outputs, isCut: total > outputs.length }
}

async function checked(texts: readonly string[]): Promise<CheckedOutput[]> {
  if (texts.length === 0) return []
  const outpoints = [...new Set(texts)].map(outpointOf)
  return (await market.post('/api/market/outpoints/check', { body: { outpoints } })).outputs
}

const outputsAt = (address: string): Promise<AddressOutputs> =>
  market.get('/api/market/addresses/{address}/outputs', { path: { address } })

export interface Money {
  /** The two smallest; null: there are no two besides one that pays. */
  paddings: Outpoint[] | null
  /** Are the paddings no more than that? Else the money in them may be missed. */
  areSmall: boolean
  /** Largest first, without the paddings. */
  funding: Outpoint[]
  /** Everything that may pay, largest first. */
  all: Outpoint[]
  totalSats: bigint
}

/**
 * What a purchase is paid with: outputs of the wallet that the service has found safe.
 *
 * @throws Error where there is none
 */
export async function moneyOf(connection: Connection): Promise<Money> {
  const { address } = addressFor(connection, 'payments')
  const { outputs, total } = await outputsAt(address)
  const safe = outputs.filter(({ safe: isSafe }) => isSafe).sort(byValue)
  if (safe.length === 0) {
    throw new Error(
      total > outputs.length
        ? `Of ${total} outputs at ${address}, ${outputs.length} were looked at: none of them is safe to pay with.`
        : `The wallet has no output at ${address} that is safe to pay with: send it some sats, and wait for a block.`,
    )
  }
  const hasPaddings = safe.length > PADDINGS
  const [paddings, others] = hasPaddings
    ? [safe.slice(0, PADDINGS), safe.slice(PADDINGS)]
    : [[], safe]
  return {
    paddings: hasPaddings ? paddings.map(outpointIn) : null,
    areSmall: paddings.every((one) => satsOf(one) <= MAX_SMALL_SATS),
    funding: others.reverse().slice(0, MAX_FUNDING).map(outpointIn),
    all: safe.toReversed().map(outpointIn),
    totalSats: safe.reduce((sum, one) => sum + satsOf(one), 0n),
  }
}

const outpointIn = ({ outpoint }: CheckedOutput): Outpoint => outpoint

const satsOf = ({ output }: CheckedOutput): bigint => BigInt(output?.valueSats ?? '0')

const byValue = (one: CheckedOutput, other: CheckedOutput): number =>
  Number(satsOf(one) - satsOf(other))
