import { addressOfScript } from '../../../../src/domain/script/address.ts'
import type { Attack, StrangersWorld } from '../attacks.ts'
import { noise } from '../junk.ts'
import { anyNetwork } from '../stranger.ts'

const LIMIT = { requests: 200, ms: 3_000, atOnce: 16 }
const ORDERS = '/api/market/orders'
const PADDINGS = '/api/market/operations/paddings'
const MAX_FUNDING = 62
/** Paddings name no more. */
const MAX_PAYING = 15
/** What a preflight may carry. */
const FAT_HEX = 390_000

const idOf = ({ listed }: StrangersWorld, n: number): string => listed[n % listed.length]?.id ?? ''
const UNKNOWN = '0'.repeat(64)
const ADDRESS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'
const PAYS = addressOfScript(`0014${'33'.repeat(20)}`, 'regtest')

/** What requires much work of node and index. */
export const PURCHASE_ATTACKS: readonly Attack[] = [
  {
    name: "quotes of 64 outputs, other people's",
    limit: LIMIT,
    putsOff: ['quote'],
    run: async (stranger, world) => {
      const outpoints = [...world.listed, ...world.listed].map(({ coin }) => coin.outpoint)
      const [one, two, ...rest] = [...world.own.map(({ outpoint }) => outpoint), ...outpoints]
      const fundingUtxos = distinct(rest).slice(0, MAX_FUNDING)
      await stranger.often((n) =>
        stranger.send(`${ORDERS}/${idOf(world, n)}/quote`, anyNetwork(n), {
          body: {
            assetReceiveAddress: ADDRESS,
            paymentAddress: PAYS,
            paddingUtxos: [one, two],
            fundingUtxos,
          },
        }),
      )
    },
  },
  {
    name: 'quotes of legacy outputs and one with 300 inscriptions',
    limit: LIMIT,
    putsOff: ['quote'],
    run: async (stranger, world) => {
      const [one, two] = world.own.map(({ outpoint }) => outpoint)
      const fundings = [
        world.legacy.slice(0, 16),
        world.legacy.slice(0, 60),
        [world.crowded.outpoint],
      ]
      await stranger.often((n) =>
        stranger.send(`${ORDERS}/${idOf(world, n)}/quote`, anyNetwork(n), {
          body: {
            assetReceiveAddress: ADDRESS,
            paymentAddress: PAYS,
            paddingUtxos: [one, two],
            fundingUtxos: fundings[n % fundings.length],
          },
        }),
      )
    },
  },
  {
    name: 'paddings of legacy outputs and one with 300 inscriptions',
    limit: { ...LIMIT, requests: 100 },
    putsOff: ['quote'],
    run: async (stranger, world) => {
      const fundings = [world.legacy.slice(0, MAX_PAYING), [world.crowded.outpoint]]
      await stranger.often((n) =>
        stranger.send(PADDINGS, anyNetwork(n), {
          body: {
            paymentAddress: PAYS,
            fundingUtxos: fundings[n % fundings.length],
            count: 20,
          },
        }),
      )
    },
  },
  {
    name: 'fat preflights of orders that nobody has',
    limit: { ...LIMIT, requests: 100 },
    putsOff: ['preflight'],
    run: async (stranger) => {
      const finalTxHex = noise(FAT_HEX / 2).toString('hex')
      await stranger.often((n) =>
        stranger.send(`${ORDERS}/${UNKNOWN}/preflight`, anyNetwork(n), { body: { finalTxHex } }),
      )
    },
  },
  {
    name: 'fat preflights of LIVE orders',
    limit: { ...LIMIT, requests: 100 },
    putsOff: ['preflight'],
    run: async (stranger, world) => {
      const bodies = [
        { finalTxHex: fatTransaction() },
        { signedPsbt: noise(280_000).toString('base64') },
      ]
      await stranger.often((n) =>
        stranger.send(`${ORDERS}/${idOf(world, n)}/preflight`, anyNetwork(n), {
          body: bodies[n % bodies.length] ?? {},
        }),
      )
    },
  },
  {
    name: 'revalidations of LIVE orders',
    limit: LIMIT,
    putsOff: ['revalidate'],
    run: async (stranger, world) => {
      await stranger.often((n) =>
        stranger.send(`${ORDERS}/${idOf(world, n)}/revalidate`, anyNetwork(n), { body: {} }),
      )
    },
  },
  {
    name: 'builds for an output of somebody else',
    limit: LIMIT,
    putsOff: ['publish'],
    run: async (stranger, { victim }) => {
      await stranger.often((n) =>
        stranger.send(`${ORDERS}/build`, anyNetwork(n), {
          body: {
            protocolId: 'rare-sats',
            token: `JUNK ${n}`,
            quotedPriceSats: String(20_000 + n),
            sellerPaymentAddress: ADDRESS,
            outpoint: victim.outpoint,
          },
        }),
      )
    },
  },
]

/** 100 inputs with scripts of 1,500 bytes, and 100 outputs; none of the inputs exists. */
function fatTransaction(): string {
  const input = (n: number) => `${'ab'.repeat(31)}${byte(n)}00000000fdb80b${'51'.repeat(3_000 / 2)}`
  const inputs = Array.from({ length: 100 }, (_, n) => fix(input(n)))
  const outputs = Array.from({ length: 100 }, () => `e803000000000000160014${'11'.repeat(20)}`)
  return `02000000${byte(100)}${inputs.join('')}${byte(100)}${outputs.join('')}00000000`
}
const byte = (n: number): string => n.toString(16).padStart(2, '0')
/** Preceded by the script's length, 1,500 bytes, and followed by the sequence. */
const fix = (input: string): string => `${input.replace('fdb80b', 'fddc05')}fdffffff`

const distinct = <T extends { txid: string; vout: number }>(outpoints: readonly T[]): T[] => [
  ...new Map(outpoints.map((one) => [`${one.txid}:${one.vout}`, one])).values(),
]
