import { Config } from './config.ts'

/** The services that fold whole blocks, from a height on. */
export type FoldName = 'pairing' | 'circles'

export const START_HEIGHTS = {
  pairing: 'PAIRING_START_HEIGHT',
  circles: 'CIRCLES_START_HEIGHT',
} as const

/** The first block to fold: by default the whole chain, except on mainnet. */
export const startHeightOf = (config: Config, fold: FoldName): number =>
  config[START_HEIGHTS[fold]] ?? 0

/** No service starts without it. */
export const isHeightMissing = (config: Config, fold: FoldName): boolean =>
  config.BITCOIN_NETWORK === 'mainnet' && config[START_HEIGHTS[fold]] === undefined

/**
 * The configuration of a service start. Commands do not need the heights: they estimate their cost.
 * Folding mainnet from its first block takes hours, and a height is fixed once an index is built.
 *
 * A seller's proof holds for the origin it names: two services must not share one, as they would by
 * the default, the address that both listen on. Regtest's coins are worth nothing.
 */
export const StartConfig = Config.superRefine(
  (value, context) => {
    const isServing = value.ROLE === 'all' || value.ROLE === 'gateway'
    if (value.BITCOIN_NETWORK === 'signet' && isServing && value.PUBLIC_ORIGIN === undefined) {
      const message = 'is required on signet: the public URL of this service'
      context.addIssue({ code: 'custom', path: ['PUBLIC_ORIGIN'], message })
    }
    for (const fold of foldsOf(value)) {
      if (!isHeightMissing(value, fold)) continue
      const variable = START_HEIGHTS[fold]
      const turnOff = value.ROLE === 'all' ? `, or ${fold.toUpperCase()}_ENABLED=false` : ''
      const message =
        'is required on mainnet: set it to the first block to index' +
        `${turnOff} (market ${fold} plan --from HEIGHT estimates the cost)`
      context.addIssue({ code: 'custom', path: [variable], message })
    }
  },
  { when: () => true },
)

/** The folds of a process with this configuration. */
export function foldsOf({ ROLE, PAIRING_ENABLED, CIRCLES_ENABLED }: Config): FoldName[] {
  if (ROLE === 'pairing' || ROLE === 'circles') return [ROLE]
  if (ROLE !== 'all') return []
  return [
    ...(PAIRING_ENABLED ? (['pairing'] as const) : []),
    ...(CIRCLES_ENABLED ? (['circles'] as const) : []),
  ]
}
