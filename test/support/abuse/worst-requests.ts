import { Psbt } from 'bitcoinjs-lib'
import { finalizeEvent, generateSecretKey } from 'nostr-tools/pure'
import { addressOfScript } from '../../../src/domain/script/address.ts'
import type { OrderSummary } from '../../../src/schemas/order.ts'
import { askFor, type SellerCoin } from '../chain/seller-coins.ts'
import { openApiClient } from '../market/api-client.ts'
import { makeAsk } from '../orders/psbt-orders.ts'
import { asksOfNothing, noise } from './junk.ts'

interface Request {
  path: string
  body?: object
  headers?: Record<string, string>
}

export interface WorstRequest {
  name: string
  /** The variable that limits it, and its default. */
  variable: string
  aMinute: number
  /** What is sent, by number. */
  request(address: string, own: readonly SellerCoin[]): Promise<(n: number) => Request>
}

const API = '/api/market'
/** With it a wrapper is as large as an order may be. */
const FILLING = 46_000
const LONGEST_SCRIPT = 9_999
/** An output has room for this many proved asks. */
const ROOM = 64

/**
 * A proved ask of one of these outputs, a different one for each number, its wrapper full of noise.
 */
function fatAsk(
  own: readonly SellerCoin[],
  n: number,
  label: number,
  scriptHex = '51'.repeat(LONGEST_SCRIPT),
): string {
  const coin = own[Math.floor(n / ROOM) % own.length]
  if (!coin) throw new Error('strangers own something')
  const { seed, outpoint, output } = coin
  const prevout = { ...outpoint, valueSats: output.valueSats }
  const payout = {
    valueSats: String(30_000 + 100_000 * label + n),
    scriptHex,
  }
  const half = Psbt.fromBase64(makeAsk({ script: 'p2wpkh', seed, prevout, payout }).psbt)
  half.addUnknownKeyValToGlobal({
    key: Buffer.from('f0aa', 'hex'),
    value: noise(FILLING - scriptHex.length / 2),
  })
  return half.toBase64()
}

/** A LIVE order, and the request that is repeated about it. */
const ofLiveOrder =
  (route: string, body?: object) =>
  async (address: string, own: readonly SellerCoin[]): Promise<(n: number) => Request> => {
    const [coin] = own
    if (!coin) throw new Error('strangers own something')
    const api = openApiClient(address)
    const { body: order } = await api.post('orders/import', { psbt: askFor(coin) })
    const { id } = order as OrderSummary
    const path = `${API}/orders/${id}/${route}`
    return (n) => ({ path, ...(body && { body, headers: keyed(n) }) })
  }

const keyed = (n: number) => ({ 'idempotency-key': `key-${n}` })
const ADDRESS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'
const PAYS = addressOfScript(`0014${'33'.repeat(20)}`, 'regtest')
/** With one input and one output that belong to no client here. */
const TRANSACTION = `0200000001${'ab'.repeat(32)}000000000151fdffffff01e803000000000000160014${'11'.repeat(20)}00000000`

/** For each limit, the request that stores most among those it allows. */
export const WORST_REQUESTS: readonly WorstRequest[] = [
  {
    name: 'revalidate',
    variable: 'RATE_LIMIT_REVALIDATE',
    aMinute: 30,
    request: ofLiveOrder('revalidate', {}),
  },
  {
    name: 'quote',
    variable: 'RATE_LIMIT_QUOTE',
    aMinute: 60,
    request: async (address, own) => {
      const [one, two, three] = own.map(({ outpoint }) => outpoint)
      return ofLiveOrder('quote', {
        assetReceiveAddress: ADDRESS,
        paymentAddress: PAYS,
        paddingUtxos: [one, two],
        fundingUtxos: [three],
      })(address, own)
    },
  },
  {
    name: 'preflight',
    variable: 'RATE_LIMIT_PREFLIGHT',
    aMinute: 60,
    request: ofLiveOrder('preflight', { finalTxHex: TRANSACTION }),
  },
  {
    name: 'artifact',
    variable: 'RATE_LIMIT_ARTIFACT',
    aMinute: 60,
    request: ofLiveOrder('artifact'),
  },
  {
    name: 'portable-event',
    variable: 'RATE_LIMIT_PORTABLE_EVENT',
    aMinute: 60,
    request: async (_, own) => (n) => {
      const tags = [
        ['n', 'regtest'],
        ['t', 'sell'],
      ]
      const content = fatAsk(own, n, 2)
      const template = { kind: 802, created_at: 1_700_000_000 + n, tags, content }
      const body = finalizeEvent(template, generateSecretKey())
      return { path: `${API}/orders/portable-event`, body, headers: keyed(n) }
    },
  },
  {
    name: 'publish',
    variable: 'RATE_LIMIT_PUBLISH',
    aMinute: 30,
    request: async (_, own) => (n) => ({
      path: `${API}/orders/publish`,
      // What is published must be relayable too.
      body: { psbt: fatAsk(own, n, 3, `0014${'11'.repeat(20)}`) },
      headers: keyed(n),
    }),
  },
  {
    name: 'import',
    variable: 'RATE_LIMIT_IMPORT',
    aMinute: 60,
    request: async (_, own) => {
      const unproved = asksOfNothing(FILLING)
      return (n) => ({
        path: `${API}/orders/import`,
        body: { psbt: n % 3 === 0 ? unproved.make(n) : fatAsk(own, n, 1), token: 'FAT' },
        headers: keyed(n),
      })
    },
  },
]
