/**
 * Beginnings of the keys of a service, and its channels: keys of one tag are on one server of a
 * cluster.
 */
export const rootOf = (prefix: string): string => `{${prefix}}:`

/** The root of the keys of another tag of the service. */
export const taggedRoot = (root: string, tag: string): string =>
  tag === '' ? root : `${root.slice(0, -'}:'.length)}:${tag}}:`

/**
 * Raised with any change of what the keys of the views hold. It is in their names: the views of two
 * releases are beside each other, and each finds its own (ADR 111).
 */
export const LAYOUT = 1

/** The fields of `meta` that name the views of this layout. */
export const META_FIELDS = {
  /** The views that are read; */
  current: `generation.${LAYOUT}`,
  /** those being built to replace them, */
  next: `building.${LAYOUT}`,
  /** and again once they have reached the end of the log. */
  filled: `filled.${LAYOUT}`,
} as const

/**
 * The keys of one service, and its channel, after the root. A key of no views keeps its form: one of
 * another form gets another name.
 */
export const KEY_NAMES = {
  meta: 'meta',
  /** Keys of all views: their layout, `:`, the name of a generation and `:` follow. */
  views: 'v:',
  /** Written by each transaction first. */
  written: 'written',
  hold: 'hold',
  /** Written to find out whether a write would be durable now. */
  probe: 'probe',
  outcome: 'outcome:',
  /** What permissions are tried on, at a start. */
  tried: 'tried:',
  /** A claim of a client. */
  claim: 'claim:',
  claimsOfClient: 'claims:',
  limit: 'limit:',
  /** The claims of all clients. */
  claims: 'ages',
} as const

/** What the keys of all generations of this layout begin with, after the root. */
export const VIEWS = `${KEY_NAMES.views}${LAYOUT}:`

/**
 * Tags of the keys that scripts do not use together with the views: a cluster spreads them. `client`, and
 * `webhook` with a name, have as many tags as there is after them.
 */
export const TAGS = {
  client: 'c:',
  claims: 'claims',
  builds: 'builds',
  unproved: 'unproved',
  webhook: 'webhook:',
} as const

/** How many tags all clients share: more than a cluster has servers, few enough for scripts of many keys. */
const CLIENT_TAGS = 64
const FNV_OFFSET = 0x811c9dc5
const FNV_PRIME = 0x01000193

/** The tag of a client's keys. */
export function tagOfClient(client: string): string {
  let hash = FNV_OFFSET
  for (let at = 0; at < client.length; at += 1) {
    hash = Math.imul(hash ^ client.charCodeAt(at), FNV_PRIME)
  }
  return `${TAGS.client}${(hash >>> 0) % CLIENT_TAGS}`
}

export const OUTCOMES_CHANNEL = 'outcomes'
export const TRIED_CHANNEL = 'tried'
