import { z } from 'zod'
import { Network } from '../scalars.ts'
import { CLEAR_VARIABLES, checkClearLogins } from './clear-variables.ts'
import { CONTENT_VARIABLES } from './content-variables.ts'
import { CUSTOMER_VARIABLES } from './customer-variables.ts'
import { FOLD_VARIABLES, SIGNING_KEY } from './fold-variables.ts'
import { checkKafkaVariables, KAFKA_VARIABLES } from './kafka-variables.ts'
import { KEY_VARIABLES } from './key-variables.ts'
import { checkRedisVariables, REDIS_VARIABLES } from './redis-variables.ts'
import {
  allowedOrigins,
  flag,
  hasNoQuery,
  httpUrl,
  list,
  relayUrl,
  text,
  trustedProxies,
  whole,
} from './variable-kinds.ts'
import { WEBHOOK_VARIABLES } from './webhook-variables.ts'

const perMinute = (requests: number) => whole(1, 100_000).default(requests)
/** A day of UTC, YYYY-MM-DD. */
const Day = z.iso.date()
/** Who may moderate, identified by the SHA-256 of a token, and until the end of which day (UTC). */
export const Operator = z
  .string()
  .regex(
    /^[A-Za-z0-9._-]{1,64}:[0-9a-f]{64}(?::[0-9-]+)?$/,
    'must be name:sha256 of the token in lowercase hex, or name:sha256:YYYY-MM-DD',
  )
  .transform((text) => {
    const [name = '', tokenSha256 = '', lastDay] = text.split(':')
    return { name, tokenSha256, ...(lastDay === undefined ? {} : { lastDay }) }
  })
  .refine(
    ({ lastDay }) => lastDay === undefined || Day.safeParse(lastDay).success,
    'must end with a valid date, YYYY-MM-DD',
  )
export type Operator = z.infer<typeof Operator>

const MAX_RELAYS = 32
const relays = list.pipe(
  z
    .array(relayUrl)
    .max(MAX_RELAYS, `must be at most ${MAX_RELAYS} relays`)
    .refine((urls) => new Set(urls).size === urls.length, 'must name each relay once'),
)

const isAddress = (host: string): boolean => URL.canParse(localAddress({ HOST: host, PORT: 0 }))

/** The roles of a process; the parts meet in Kafka, Redis and ClickHouse. */
export const ROLES = [
  'all',
  'gateway',
  'ingest',
  'actors',
  'projector',
  'webhooks',
  'pairing',
  'circles',
] as const
export type Role = (typeof ROLES)[number]

/** Every environment variable of the service; each may also be given as `NAME_FILE`. */
export const Variables = z.strictObject({
  ROLE: z
    .enum(ROLES)
    .default('all')
    .describe('which role this process runs: the whole service, or one part of it'),
  HOST: text
    .refine((host) => isAddress(host), 'must be a host name or an IP address')
    .default('127.0.0.1')
    .describe('address that HTTP listens on'),
  PORT: whole(0, 65_535).default(8080).describe('port of the API; 0 chooses a free port'),
  METRICS_PORT: whole(0, 65_535)
    .default(9464)
    .describe('port of /metrics on HOST; 0 chooses a free port'),
  LOG_LEVEL: z
    .enum(['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'])
    .default('info')
    .describe('minimum severity to log'),
  LOG_FORMAT: z
    .enum(['json', 'pretty'])
    .optional()
    .describe('json, or pretty for people; by default pretty on a terminal and json elsewhere'),
  LOG_CLIENTS: z
    .enum(['address', 'network', 'none'])
    .default('address')
    .describe(
      'what request logs contain about the client: its address, its network (IPv4 /24, IPv6 /48) or nothing',
    ),
  DATA_DIR: text.default('./data').describe('folder of the embedded log, views and history'),
  LMDB_MAP_GIB: whole(1, 16_384)
    .default(64)
    .describe(
      'GiB that a store in DATA_DIR may have, as address space reserved: more uses neither memory nor disk',
    ),
  BITCOIN_NETWORK: Network.default('regtest').describe('chain on which orders are verified'),
  DEVNET: flag
    .optional()
    .describe('built-in regtest node and index; by default on for regtest without BITCOIN_RPC_URL'),
  DEVNET_CONTROL: z
    .enum(['loopback', 'open'])
    .default('loopback')
    .describe(
      'who may control the devnet (/devnet/…): only this machine, or any client of the API',
    ),
  BITCOIN_RPC_URL: httpUrl
    .optional()
    .describe("URL of Bitcoin Core's RPC; without it there is no node (or the devnet)"),
  BITCOIN_RPC_USER: text.optional().describe('with BITCOIN_RPC_PASSWORD, instead of a cookie'),
  BITCOIN_RPC_PASSWORD: text.optional().describe('secret'),
  BITCOIN_RPC_COOKIE_FILE: text
    .optional()
    .describe("path of the node's .cookie; read again after the node restarts"),
  BITCOIN_ZMQ_URL: list
    .pipe(z.array(z.string().regex(/^(?:tcp|ipc):\/\/.+/, 'must be tcp:// or ipc:// endpoints')))
    .optional()
    .describe(
      'ZMQ endpoints that publish sequence and rawtx, comma separated; without it the mempool is polled',
    ),
  MEMPOOL_POLL_MS: whole(50, 60_000)
    .default(1_000)
    .describe(
      'milliseconds between polls of a node that pushes nothing; a list of 300,000 transactions is read every 6 s at most, one of another size in proportion',
    ),
  ASSET_INDEX_URL: httpUrl.optional().describe('URL of the ord server'),
  ASSET_INDEX_USER: text
    .optional()
    .describe('login to it, or to the proxy before it, with ASSET_INDEX_PASSWORD'),
  ASSET_INDEX_PASSWORD: text.optional().describe('secret'),
  ...CONTENT_VARIABLES,
  NOSTR_RELAYS: relays
    .optional()
    .describe('relays from which kind 802 events are imported, ws(s) URLs, comma separated'),
  NOSTR_TRUSTED_RELAYS: relays
    .optional()
    .describe(
      'more such relays, whose events are imported as fast as the service can, for example those of your own market',
    ),
  OFFERS_URL: httpUrl
    .optional()
    .describe(
      'ord server with --accept-offers, from which offers are imported, as fast as the service can, with the login of ASSET_INDEX_URL if that is the same server',
    ),
  OFFERS_POLL_MS: whole(100, 86_400_000)
    .default(30_000)
    .describe('milliseconds between polls of the offers'),
  ORDER_PARTITIONS: whole(1, 1_024)
    .default(16)
    .describe('partitions of the log, fixed when it is created'),
  ...KAFKA_VARIABLES,
  ...REDIS_VARIABLES,
  CLICKHOUSE_URL: httpUrl
    .refine(hasNoQuery, 'must have no query: set settings on the ClickHouse user')
    .optional()
    .describe(
      "URL of ClickHouse's HTTP interface for the history; without it, the history is in chDB in DATA_DIR",
    ),
  CLICKHOUSE_USER: text.default('default').describe('ClickHouse user'),
  CLICKHOUSE_PASSWORD: text.optional().describe('secret; by default none'),
  CLICKHOUSE_DATABASE: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'must be 1 to 64 letters, digits or underscores')
    .default('market')
    .describe('database of the history, created if missing'),
  VERIFY_CONCURRENCY: whole(1, 1_000).default(32).describe('orders verified concurrently'),
  SIGNATURE_THREADS: whole(1, 64).default(2).describe('worker threads that check signatures'),
  MARKET_ENABLED: flag
    .default(true)
    .describe('false: health reports disabled, every other route answers 503'),
  CONSOLE: flag
    .default(true)
    .describe(
      'false: a process that serves the API serves no console (/, /console) and no guide (/guide)',
    ),
  TRUST_PROXY: trustedProxies
    .optional()
    .describe(
      'proxies whose X-Forwarded-For is trusted: addresses and CIDR ranges, comma separated, or the number of chained proxies (1 to 9; the nearest must have a private address)',
    ),
  PUBLIC_ORIGIN: httpUrl
    .optional()
    .describe(
      'public URL of this service; required on mainnet, and on signet in a process that serves the API',
    ),
  ALLOWED_ORIGINS: allowedOrigins
    .optional()
    .describe(
      'origins whose pages may use the API (CORS), such as https://app.example, comma separated; `*` allows every page; without it none is allowed',
    ),
  OPERATOR_TOKENS: list
    .pipe(
      z
        .array(Operator)
        .refine(
          (operators) => new Set(operators.map(({ name }) => name)).size === operators.length,
          'must name each operator once',
        ),
    )
    .optional()
    .describe(
      'operators, each as name:sha256 of the token in hex, or name:sha256:YYYY-MM-DD with its last valid day (UTC), comma separated: `market operator token` creates one; without it moderation is off',
    ),
  OWNERSHIP_WINDOW_SECONDS: whole(1, 86_400)
    .default(600)
    .describe('length of a window; an ownership challenge is accepted in its window and the next'),
  ...KEY_VARIABLES,
  ...CLEAR_VARIABLES,
  MAX_VERIFICATION_AGE_SECONDS: whole(1, 86_400)
    .default(600)
    .describe('after this age a LIVE order is stale: REVIEW_ONLY'),
  QUOTE_TTL_SECONDS: whole(1, 86_400).default(300).describe('validity of a quote'),
  MAX_LAG_BLOCKS: whole(0, 1_000)
    .default(2)
    .describe('blocks that the asset index may lag before listings are not ready'),
  ...WEBHOOK_VARIABLES,
  ...FOLD_VARIABLES,
  MAX_CONNECTIONS: whole(16, 1_000_000)
    .default(10_000)
    .describe('concurrent connections to PORT; further ones are closed immediately'),
  MAX_STREAMS: whole(1, 1_000_000)
    .default(1_000)
    .describe('streams of changes that a gateway serves at a time; further ones are refused'),
  RATE_LIMIT_ARTIFACT: perMinute(60).describe('requests per minute and client'),
  RATE_LIMIT_REVALIDATE: perMinute(30).describe('requests per minute and client'),
  RATE_LIMIT_BUILD: perMinute(30).describe('requests per minute and client'),
  RATE_LIMIT_PUBLISH: perMinute(30).describe('requests per minute and client'),
  RATE_LIMIT_WITHDRAW: perMinute(10).describe('requests per minute and client'),
  RATE_LIMIT_OPERATOR: perMinute(10).describe(
    'requests per minute and operator; failed logins per minute and client',
  ),
  RATE_LIMIT_RECORDS: perMinute(60).describe("pages of the log's records per minute and operator"),
  RATE_LIMIT_QUOTE: perMinute(60).describe(
    'requests per minute and client, quotes and paddings together',
  ),
  RATE_LIMIT_PREFLIGHT: perMinute(60).describe('requests per minute and client'),
  RATE_LIMIT_IMPORT: perMinute(60).describe(
    'requests per minute and client, imports and inspections together',
  ),
  RATE_LIMIT_PORTABLE_EVENT: perMinute(60).describe('requests per minute and client'),
  RATE_LIMIT_OUTPOINT: perMinute(60).describe(
    'exposures and self-spends of outputs per minute and client',
  ),
  RATE_LIMIT_OUTPOINT_CHECK: perMinute(30).describe(
    'checks of up to 100 outputs per minute and client',
  ),
  RATE_LIMIT_CONTENT: perMinute(300).describe('contents of inscriptions per minute and client'),
  RATE_LIMIT_STATISTICS: perMinute(30).describe('requests per minute and client'),
  RATE_LIMIT_STATISTIC_FILE: perMinute(12).describe(
    'CSV and Parquet files of statistics that are made for a client per minute',
  ),
  RATE_LIMIT_STREAM: perMinute(120).describe('streams that a client opens per minute'),
  RATE_LIMIT_REFERENCE: perMinute(40).describe(
    'requests for /openapi.json and /docs/json per minute and client',
  ),
  RATE_LIMIT_GUIDE: perMinute(1_200).describe(
    "files of the guide and of the reference's pages per minute and client, beside RATE_LIMIT_READ",
  ),
  RATE_LIMIT_PROVED_KIB: whole(256, 1_073_741_824)
    .default(4_096)
    .describe(
      'KiB of proved orders that a gateway stores per client, and per output, an hour, a third of it in one burst',
    ),
  RATE_LIMIT_STRANGERS_PROVED_KIB: whole(256, 1_073_741_824)
    .default(131_072)
    .describe(
      'KiB of proved orders that a gateway stores an hour for all clients without a key together, a third of it in one burst; half of it is for networks that had no more than RATE_LIMIT_PROVED_KIB',
    ),
  RATE_LIMIT_READ: perMinute(600).describe(
    'other GET requests per minute and client, over all routes',
  ),
  ...CUSTOMER_VARIABLES,
  RATE_LIMIT_CLIENTS_AT_ONCE: whole(1, 10_000)
    .default(32)
    .describe(
      'limit of an expensive route over all clients of a gateway, as a multiple of the limit of one client',
    ),
})
export type Variables = z.infer<typeof Variables>

export const VARIABLE_NAMES = Object.keys(Variables.shape) as (keyof Variables)[]

/** Never printed, never logged. */
export const SECRET_VARIABLES: ReadonlySet<string> = new Set([
  'ASSET_INDEX_PASSWORD',
  'BITCOIN_RPC_PASSWORD',
  'BUNDLE_KEY',
  'CLICKHOUSE_PASSWORD',
  'CURSOR_KEY',
  'HEADS_KEY',
  'KAFKA_OAUTH_CLIENT_SECRET',
  'KAFKA_SASL_PASSWORD',
  'OPERATOR_TOKENS',
  'PAIRING_PRIVATE_KEY',
  'REDIS_PASSWORD',
  'REDIS_SENTINEL_PASSWORD',
  'WEBHOOK_ENDPOINTS',
  'WEBHOOK_KEY',
])

/** The variables through which a role meets the others. */
const NEEDED: Record<Role, readonly (keyof Variables)[]> = {
  all: [],
  gateway: ['KAFKA_BROKERS', 'REDIS_URL', 'CLICKHOUSE_URL'],
  ingest: ['KAFKA_BROKERS'],
  actors: ['KAFKA_BROKERS'],
  projector: ['KAFKA_BROKERS', 'REDIS_URL', 'CLICKHOUSE_URL'],
  webhooks: ['KAFKA_BROKERS', 'REDIS_URL'],
  pairing: [],
  circles: [],
}

/** Rules run on all given values, even if another variable is invalid. */
const ALL_AT_ONCE = { when: () => true }

/** Rules across variables: each names the variable and the cure. */
export const Config = Variables.superRefine((value, context) => {
  const refuse = (variable: keyof Variables, message: string) =>
    context.addIssue({ code: 'custom', path: [variable], message })
  const { NOSTR_RELAYS: others = [], NOSTR_TRUSTED_RELAYS: trusted = [] } = value
  if (trusted.length > 0 && others.length + trusted.length > MAX_RELAYS) {
    refuse('NOSTR_TRUSTED_RELAYS', `must be at most ${MAX_RELAYS} relays with NOSTR_RELAYS`)
  }
  if (trusted.some((url) => others.includes(url))) {
    refuse('NOSTR_TRUSTED_RELAYS', 'must name no relay of NOSTR_RELAYS')
  }
  if (value.DEVNET && value.BITCOIN_NETWORK !== 'regtest') {
    refuse('DEVNET', 'requires regtest: set BITCOIN_NETWORK=regtest or DEVNET=off')
  }
  if (value.WEBHOOK_LOOPBACK && value.BITCOIN_NETWORK !== 'regtest') {
    refuse('WEBHOOK_LOOPBACK', 'requires regtest: webhooks are sent to public addresses')
  }
  if (value.DEVNET && value.BITCOIN_RPC_URL) {
    refuse('DEVNET', 'conflicts with BITCOIN_RPC_URL: unset one of them')
  }
  if (value.BITCOIN_RPC_URL && !value.BITCOIN_RPC_COOKIE_FILE && !value.BITCOIN_RPC_PASSWORD) {
    refuse(
      'BITCOIN_RPC_URL',
      'requires BITCOIN_RPC_COOKIE_FILE, or BITCOIN_RPC_USER and BITCOIN_RPC_PASSWORD',
    )
  }
  if (value.BITCOIN_RPC_PASSWORD && !value.BITCOIN_RPC_USER) {
    refuse('BITCOIN_RPC_PASSWORD', 'requires BITCOIN_RPC_USER')
  }
  if (value.ASSET_INDEX_URL && !value.BITCOIN_RPC_URL) {
    refuse('ASSET_INDEX_URL', 'requires a node on the same chain: set BITCOIN_RPC_URL too')
  }
  // What the roles share may name logins to servers that a fold never opens.
  const isFold = value.ROLE === 'pairing' || value.ROLE === 'circles'
  if (value.ASSET_INDEX_USER && !value.ASSET_INDEX_PASSWORD && !isFold) {
    refuse('ASSET_INDEX_USER', 'requires ASSET_INDEX_PASSWORD')
  }
  if (value.ASSET_INDEX_PASSWORD && !value.ASSET_INDEX_USER) {
    refuse('ASSET_INDEX_PASSWORD', 'requires ASSET_INDEX_USER')
  }
  if (value.ASSET_INDEX_USER && !value.ASSET_INDEX_URL) {
    refuse('ASSET_INDEX_USER', 'requires ASSET_INDEX_URL')
  }
  const isServing = value.ROLE === 'all' || value.ROLE === 'gateway'
  if (value.REDIS_URL && !value.CURSOR_KEY && isServing) {
    refuse('CURSOR_KEY', 'is required with REDIS_URL: gateways share their cursors')
  }
  if (!isFold) checkRedisVariables(value, refuse)
  if (value.CLICKHOUSE_PASSWORD && !value.CLICKHOUSE_URL) {
    refuse('CLICKHOUSE_PASSWORD', 'requires CLICKHOUSE_URL')
  }
  for (const variable of NEEDED[value.ROLE] ?? []) {
    if (!value[variable]) {
      refuse(variable, `is required with ROLE=${value.ROLE}: roles share data through it`)
    }
  }
  if (value.ROLE !== 'all' && value.DEVNET) {
    refuse('DEVNET', `requires ROLE=all: set BITCOIN_RPC_URL for ROLE=${value.ROLE}`)
  }
  const lacking = SIGNING_KEY.filter((variable) => value[variable] === undefined)
  for (const variable of lacking.length < SIGNING_KEY.length ? lacking : []) {
    refuse(variable, `is part of the signing key: set ${SIGNING_KEY.join(' and ')}, or none`)
  }
  checkKafkaVariables(value, refuse)
  checkClearLogins(value, refuse)
  const ofA = new Set(trustedKeysOf(value.PAIRING_TRUSTED_A).values())
  for (const [keyId, publicKey] of trustedKeysOf(value.PAIRING_TRUSTED_B)) {
    if (!ofA.has(publicKey)) continue
    refuse(
      'PAIRING_TRUSTED_B',
      `trusts ${keyId} as pipeline B, but PAIRING_TRUSTED_A trusts the same key as A: a key belongs to one pipeline`,
    )
  }
  if (value.BITCOIN_NETWORK === 'mainnet' && value.PUBLIC_ORIGIN?.startsWith('http:')) {
    refuse('PUBLIC_ORIGIN', 'must be https on mainnet: sellers sign this URL')
  }
  if (value.BITCOIN_NETWORK === 'mainnet' && !value.PUBLIC_ORIGIN) {
    refuse('PUBLIC_ORIGIN', 'is required on mainnet: the public URL of this service')
  }
}, ALL_AT_ONCE)
export type Config = z.infer<typeof Config>

/** The address of the service from this machine. */
export const localAddress = ({ HOST, PORT }: Pick<Config, 'HOST' | 'PORT'>): string =>
  `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${PORT}`

/** The origin of this service for its clients: scheme, host and port. */
export const publicOrigin = (config: Config): string =>
  new URL(config.PUBLIC_ORIGIN ?? localAddress(config)).origin

/** The name that both pipelines use for the deployment that they index. */
export const pairingDeployment = (config: Config): string =>
  config.PAIRING_DEPLOYMENT ?? `pairing-${config.BITCOIN_NETWORK}`

/** The keys trusted as one pipeline: x-only public keys in hex, by their id. */
export const trustedKeysOf = (keys: readonly string[] = []): ReadonlyMap<string, string> =>
  new Map(keys.map((text) => text.split(':') as [string, string]))

/** Does the devnet serve as node and index? */
export const usesDevnet = ({ ROLE, DEVNET, BITCOIN_NETWORK, BITCOIN_RPC_URL }: Config): boolean =>
  DEVNET ?? (ROLE === 'all' && BITCOIN_NETWORK === 'regtest' && BITCOIN_RPC_URL === undefined)
