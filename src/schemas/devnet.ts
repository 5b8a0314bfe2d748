import { z } from 'zod'
import { AmountInput } from './scalars.ts'

/** What `market devnet` may ask of the running service: on the devnet only, on 127.0.0.1 only. */
export const DevnetFund = z.strictObject({ address: z.string().max(100), sats: AmountInput })
export const DevnetInscribe = z.strictObject({
  address: z.string().max(100),
  text: z.string().max(10_000),
  postage: AmountInput.default('10000'),
})
export const DevnetMine = z.strictObject({ blocks: z.int().min(1).max(1_000).default(1) })
export const DevnetReorg = z.strictObject({ depth: z.int().min(1).max(100).default(1) })

/** The prefix of these routes. */
export const DEVNET_BASE = '/devnet'
