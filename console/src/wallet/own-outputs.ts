import type { AddressOutputs, CheckedOutput, Outpoint } from 'psbt-market-client'
import { market } from '../api/market.ts'
import { outpointOf } from '../ui/outpoints.ts'
import type { Connection } from './connection.ts'
import { type WalletAddress, WalletError } from './wallet-port.ts'

const PADDINGS = 2
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

export interface Sellable {
  inscriptionId: string
  outpoint: Outpoint
  valueSats: string
  address: string
}

/** The inscriptions of a wallet that no order offers yet, each alone in its output, as examined. */
export async function sellableOf(connection: Connection): Promise<Sellable[]> {
  const { address } = addressFor(connection, 'assets')
  const told = await connection.wallet.inscriptions()
  const outputs = told
    ? await checked(told.slice(0, MAX_CHECKED).map(({ output }) => output))
    : (await outputsAt(address)).outputs
  return outputs.flatMap(({ outpoint, output, troubles }) => {
    const [held, ...more] = troubles
    const isAlone = held?.code === 'holds_inscription' && !held.message.includes(' more')
    if (!output || !isAlone || more.length > 0 || held.subject === undefined) return []
    return [{ inscriptionId: held.subject, outpoint, valueSats: output.valueSats, address }]
  })
}

async function checked(texts: readonly string[]): Promise<CheckedOutput[]> {
  if (texts.length === 0) return []
  const outpoints = [...new Set(texts)].map(outpointOf)
  return (await market.post('/api/market/outpoints/check', { body: { outpoints } })).outputs
}

const outputsAt = (address: string): Promise<AddressOutputs> =>
  market.get('/api/market/addresses/{address}/outputs', { path: { address } })

export interface Money {
  paddings: Outpoint[]
  /** Largest first. */
  funding: Outpoint[]
}

/**
 * What a purchase is paid with: the two smallest safe outputs as paddings, and the others.
 *
 * @throws Error saying how to make what is missing
 */
export async function moneyOf(connection: Connection): Promise<Money> {
  const { address } = addressFor(connection, 'payments')
  const { outputs } = await outputsAt(address)
  const safe = outputs.filter(({ safe: isSafe }) => isSafe).sort(byValue)
  const paddings = safe.slice(0, PADDINGS)
  const funding = safe.slice(PADDINGS).reverse().slice(0, MAX_FUNDING)
  if (funding.length === 0) throw new Error(missingText(safe.length))
  const outpointIn = ({ outpoint }: CheckedOutput) => outpoint
  return { paddings: paddings.map(outpointIn), funding: funding.map(outpointIn) }
}

const missingText = (count: number): string =>
  `The wallet has ${count} outputs that are safe to pay with; a purchase needs two small ones ` +
  '(600 sats each, so that the asset keeps its place) and one that pays. Send yourself what is ' +
  'missing, and wait for a block.'

const byValue = (one: CheckedOutput, other: CheckedOutput): number =>
  Number(BigInt(one.output?.valueSats ?? '0') - BigInt(other.output?.valueSats ?? '0'))
