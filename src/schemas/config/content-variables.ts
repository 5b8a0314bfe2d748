import { z } from 'zod'
import { hasNoQuery, httpUrl } from './variable-kinds.ts'

const noQuery = 'must have no query'
const explorer = httpUrl.refine(hasNoQuery, noQuery).optional()

/** What is sold, as pages show it: its content, and where more is read about it. */
export const CONTENT_VARIABLES = {
  ASSET_CONTENT_URL: z
    .union([z.literal('off'), httpUrl.refine(hasNoQuery, noQuery)])
    .optional()
    .describe(
      'ord server whose `/r/undelegated-content/…` shows what is sold, or `off`; by default ASSET_INDEX_URL, or the devnet, and off on mainnet',
    ),
  EXPLORER_URL: explorer.describe(
    'explorer of the chain that the console links to, such as https://mempool.space: its `/tx/…`, `/address/…` and `/block/…`',
  ),
  ASSET_EXPLORER_URL: explorer.describe(
    'explorer of inscriptions that the console links to, such as https://ordinals.com: its `/inscription/…`',
  ),
  FIAT_PRICES_URL: httpUrl
    .optional()
    .describe(
      'prices of a bitcoin, answered as `/api/v1/prices` of mempool is, such as https://mempool.space/api/v1/prices: the console shows estimates by them; without it none',
    ),
}

interface ContentPlace {
  ASSET_CONTENT_URL?: string | undefined
  ASSET_INDEX_URL?: string | undefined
  BITCOIN_NETWORK: string
}

/**
 * The server of content; null: none is shown. What anyone may inscribe on mainnet an operator
 * serves only where the configuration says so.
 */
export function contentUrl(config: ContentPlace): string | null {
  const { ASSET_CONTENT_URL: given, ASSET_INDEX_URL, BITCOIN_NETWORK } = config
  if (given !== undefined) return given === 'off' ? null : given
  return BITCOIN_NETWORK === 'mainnet' ? null : (ASSET_INDEX_URL ?? null)
}
