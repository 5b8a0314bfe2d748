import { afterAll, beforeAll, expect, test } from 'vitest'
import { AbusedService } from '../support/abuse/abused-service.ts'
import type { Sizes } from '../support/abuse/sizes.ts'
import { ONE_ADDRESS, Stranger } from '../support/abuse/stranger.ts'
import { WORST_REQUESTS } from '../support/abuse/worst-requests.ts'
import { type Bundle, bundleService } from '../support/bundle.ts'
import { fundSellers, type SellerCoin } from '../support/chain/seller-coins.ts'
import { openWallet } from '../support/chain/wallet.ts'

// One address that sends all it may, with the most expensive bodies: what the limits allow in this
// many minutes is sent as fast as possible, under limits multiplied accordingly.

const MINUTES = process.env['ABUSE'] === 'long' ? 60 : 1
const LONGEST_MS = process.env['ABUSE'] === 'long' ? 3_000_000 : 60_000
const MIB = 2 ** 20
/** Of an hour. */
const MAX_ON_DISK = 64 * MIB
const MAX_IN_REDIS = 16 * MIB
/** The steps in which stores grow, whoever sends. */
const GRAIN = 2 * MIB
const AT_ONCE = 8

/**
 * The default, and how much more than an hour's bytes the first hour may bring: a burst of a third.
 */
const PROVED_KIB = 4_096
const FIRST_HOUR = 4 / 3
const BURSTS_AN_HOUR = 3

const limits = {
  ...Object.fromEntries(
    WORST_REQUESTS.map(({ variable, aMinute }) => [variable, String(aMinute * MINUTES)]),
  ),
  // All that is allowed in this many minutes is sent at once.
  RATE_LIMIT_PROVED_KIB: String(
    Math.ceil((PROVED_KIB * FIRST_HOUR * BURSTS_AN_HOUR * MINUTES) / 60),
  ),
}
let bundle: Bundle
let service: AbusedService
let own: SellerCoin[]

beforeAll(async () => {
  bundle = await bundleService()
  service = await AbusedService.open({ program: bundle, variables: limits })
  const miner = await openWallet(service.chain, 2)
  own = await fundSellers(service.chain, miner, 4)
  await service.start()
})
afterAll(async () => {
  await service?.close()
  bundle?.drop()
})

const grown = (before: Sizes, now: Sizes) => ({
  disk: now.kafka + now.lmdb - before.kafka - before.lmdb,
  redis: now.redis - before.redis,
})

test(`one address at its limits for ${MINUTES} min is bounded on disk and in Redis`, async () => {
  const before = await service.sizes()
  let most = { disk: 0, redis: 0 }
  for (const { name, aMinute, request } of WORST_REQUESTS) {
    const limit = { requests: aMinute * MINUTES, ms: LONGEST_MS, atOnce: AT_ONCE }
    const stranger = new Stranger(service.address, limit)
    const next = await request(service.address, own)
    const start = grown(before, await service.sizes())
    await stranger.often((n) => {
      const { path, body, headers } = next(n)
      return stranger.send(path, ONE_ADDRESS, {
        ...(body && { body }),
        ...(headers && { headers }),
      })
    })
    await stranger.close()
    const now = grown(before, await service.sizes())
    most = { disk: Math.max(most.disk, now.disk), redis: Math.max(most.redis, now.redis) }
    const { requests, bytes, statuses, faults } = stranger.tally
    const perRequest = Math.round((now.disk - start.disk) / requests / 1_024)
    process.stdout.write(
      `${name}: ${requests} requests, ${(bytes / MIB).toFixed(1)} MiB sent, ${JSON.stringify(statuses)}, ` +
        `${perRequest} KiB of disk a request; in all ${(now.disk / MIB).toFixed(1)} MiB of disk, ` +
        `${(now.redis / MIB).toFixed(1)} MiB in Redis\n`,
    )
    expect(faults).toEqual([])
  }
  expect(most.disk).toBeLessThan((MAX_ON_DISK * MINUTES) / 60 + GRAIN)
  expect(most.redis).toBeLessThan(MAX_IN_REDIS)
})
