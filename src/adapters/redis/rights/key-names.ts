/** What all keys and channels of a service begin with; the braces keep them on one node of a cluster. */
export const rootOf = (prefix: string): string => `{${prefix}}:`

/** The keys of one service, and its channel, after the root. */
export const KEY_NAMES = {
  meta: 'meta',
  /** Of a generation of the views: its name and `:` follow. */
  views: 'v:',
  /** Written by each transaction first. */
  written: 'written',
  hold: 'hold',
  /** Written to find out whether a write would be durable now. */
  probe: 'probe',
  outcome: 'outcome:',
  claim: 'claim:',
  claimsOfClient: 'claims:',
  claims: 'claims',
  builds: 'builds',
  unproved: 'unproved:',
  webhook: 'webhook:',
  limit: 'limit:',
  /** What permissions are tried on, at a start. */
  tried: 'tried:',
} as const

export const OUTCOMES_CHANNEL = 'outcomes'
export const TRIED_CHANNEL = 'tried'
