import { finalizeEvent, generateSecretKey } from 'nostr-tools/pure'
import { makeAsk } from '../../orders/psbt-orders.ts'
import { costlyBids } from '../../scripts/costly-bids.ts'
import type { Attack } from '../attacks.ts'
import { asksOfNothing, forgedAsks, junkBids, largePsbts } from '../junk.ts'
import { anyNetwork } from '../stranger.ts'

const IMPORT = '/api/market/orders/import'
const EVENT = '/api/market/orders/portable-event'
const INSPECT = '/api/market/orders/inspect'
const PUBLISH = '/api/market/orders/publish'
const QUICK = { requests: 400, ms: 3_000, atOnce: 16 }
/** A wrapper holds at most 64 KiB; a longer script than this cannot be spent. */
const FILLING = 46_000
const LONGEST_SCRIPT = 10_000
/** An output has room for this many proved asks. */
const ROOM = 64

/** What is submitted to be stored. */
export const FLOODS: readonly Attack[] = [
  {
    name: 'imports with a bad signature, many outputs',
    limit: QUICK,
    putsOff: ['import'],
    run: async (stranger, { own }) => {
      const junk = own.map(forgedAsks)
      await stranger.often((n) =>
        stranger.send(IMPORT, anyNetwork(n), { body: { psbt: junk[n % junk.length]?.make(n) } }),
      )
    },
  },
  {
    name: 'imports of unknown outputs',
    limit: QUICK,
    putsOff: ['import'],
    run: async (stranger) => {
      const junk = asksOfNothing()
      await stranger.often((n) =>
        stranger.send(IMPORT, anyNetwork(n), { body: { psbt: junk.make(n) } }),
      )
    },
  },
  {
    name: "imports of one victim's output",
    limit: { requests: 400, ms: 4_000, atOnce: 16 },
    putsOff: ['import'],
    run: async (stranger, { victim }) => {
      const junk = forgedAsks(victim)
      await stranger.often((n) =>
        stranger.send(IMPORT, anyNetwork(n), { body: { psbt: junk.make(n), token: 'VICTIM' } }),
      )
    },
  },
  {
    name: 'fat wrappers of unknown outputs',
    limit: { requests: 150, ms: 3_000, atOnce: 8 },
    putsOff: ['import'],
    run: async (stranger) => {
      const junk = asksOfNothing(FILLING, 0)
      await stranger.often((n) =>
        stranger.send(IMPORT, anyNetwork(n), { body: { psbt: junk.make(n) } }),
      )
    },
  },
  {
    name: 'scripts at the bound and beyond',
    limit: { requests: 150, ms: 3_000, atOnce: 8 },
    putsOff: ['import'],
    run: async (stranger) => {
      const atBound = asksOfNothing(0, LONGEST_SCRIPT)
      const beyond = asksOfNothing(0, LONGEST_SCRIPT + 1)
      await stranger.often((n) => {
        const { make } = n % 2 === 0 ? atBound : beyond
        return stranger.send(IMPORT, anyNetwork(n), { body: { psbt: make(n) } })
      })
    },
  },
  {
    name: 'fat asks of an own output, proved',
    limit: { requests: 80, ms: 4_000, atOnce: 4 },
    putsOff: ['import'],
    run: async (stranger, { own }) => {
      await stranger.often((n) => {
        const coin = own[Math.floor(n / (2 * ROOM)) % own.length]
        if (!coin) throw new Error('strangers own something')
        const { seed, outpoint, output } = coin
        const prevout = { ...outpoint, valueSats: output.valueSats }
        const scriptHex = '51'.repeat(LONGEST_SCRIPT - 1)
        const payout = { valueSats: String(30_000 + n), scriptHex }
        const { psbt } = makeAsk({ script: 'p2wpkh', seed, prevout, payout })
        return stranger.send(IMPORT, anyNetwork(n), { body: { psbt } })
      })
    },
  },
  {
    name: 'one order from many sources',
    limit: QUICK,
    putsOff: ['import'],
    run: async (stranger, { listed }) => {
      await stranger.often((n) => {
        const body = { psbt: listed[0]?.psbt, sourceId: `copy ${n}`, token: `COPY ${n}` }
        return stranger.send(IMPORT, anyNetwork(n), { body })
      })
    },
  },
  {
    name: 'one order in events of many keys',
    limit: { ...QUICK, requests: 200 },
    putsOff: ['portable-event'],
    run: async (stranger, { listed }) => {
      await stranger.often((n) => {
        const [one] = listed
        if (!one) throw new Error('somebody has listed')
        const tags = [
          ['n', 'regtest'],
          ['t', 'sell'],
          ['u', `${one.coin.outpoint.txid}:${one.coin.outpoint.vout}`],
        ]
        const template = { kind: 802, created_at: 1_700_000_000 + n, tags, content: one.psbt }
        const event = finalizeEvent(template, generateSecretKey())
        return stranger.send(EVENT, anyNetwork(n), { body: event })
      })
    },
  },
  {
    name: 'bids of 20 keys and 128 leaves, in more ways than are tried',
    limit: { requests: 150, ms: 3_000, atOnce: 8 },
    putsOff: ['import'],
    run: async (stranger, { victim }) => {
      const costly = costlyBids(victim)
      await stranger.often((n) =>
        stranger.send(n % 2 === 0 ? IMPORT : INSPECT, anyNetwork(n), {
          body: { psbt: costly.make(n) },
        }),
      )
    },
  },
  {
    name: 'bids of 16 inputs that never were',
    limit: { requests: 300, ms: 3_000, atOnce: 16 },
    putsOff: ['import'],
    run: async (stranger, { victim: { outpoint, output } }) => {
      const junk = junkBids(outpoint, output.valueSats)
      await stranger.often((n) =>
        stranger.send(IMPORT, anyNetwork(n), { body: { psbt: junk.make(n) } }),
      )
    },
  },
  {
    name: 'publishes with a bad signature',
    limit: { requests: 300, ms: 3_000, atOnce: 16 },
    putsOff: ['publish'],
    run: async (stranger, { victim }) => {
      const junk = forgedAsks(victim)
      await stranger.often((n) =>
        stranger.send(PUBLISH, anyNetwork(n), { body: { psbt: junk.make(n) } }),
      )
    },
  },
  {
    name: 'inspections of asks with a bad signature',
    limit: QUICK,
    putsOff: ['import'],
    run: async (stranger, { victim }) => {
      const junk = forgedAsks(victim)
      await stranger.often((n) =>
        stranger.send(INSPECT, anyNetwork(n), { body: { psbt: junk.make(n) } }),
      )
    },
  },
  {
    name: 'inspections of large PSBTs that are refused late',
    limit: { requests: 300, ms: 3_000, atOnce: 16 },
    putsOff: ['import'],
    run: async (stranger) => {
      const junk = largePsbts()
      await stranger.often((n) =>
        stranger.send(INSPECT, anyNetwork(n), { body: { psbt: junk.make(n) } }),
      )
    },
  },
  {
    name: 'imports of an output with 300 inscriptions',
    limit: { requests: 200, ms: 3_000, atOnce: 16 },
    putsOff: ['import'],
    run: async (stranger, { crowded: { seed, outpoint, output } }) => {
      const prevout = { ...outpoint, valueSats: output.valueSats }
      await stranger.often((n) => {
        const payout = { valueSats: String(40_000 + n), scriptHex: output.scriptHex }
        const { psbt } = makeAsk({ script: 'p2wpkh', seed, prevout, payout })
        return stranger.send(IMPORT, anyNetwork(n), { body: { psbt } })
      })
    },
  },
  {
    name: 'keys with fat answers kept for each',
    limit: { requests: 300, ms: 3_000, atOnce: 16 },
    putsOff: ['import'],
    run: async (stranger) => {
      const junk = asksOfNothing(0, 1_500)
      await stranger.often((n) =>
        stranger.send(IMPORT, anyNetwork(n), {
          body: { psbt: junk.make(n), sourceId: 's'.repeat(128) },
          headers: { 'idempotency-key': `${n} `.padEnd(200, 'k').replace(' ', '-') },
        }),
      )
    },
  },
]
