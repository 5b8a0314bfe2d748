import { z } from 'zod'
import { Network } from './scalars.ts'

const text = z.string().min(1, 'must not be empty')
const flag = z
  .enum(['true', 'false', 'on', 'off'])
  .transform((value) => value === 'true' || value === 'on')
const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^[0-9]{1,15}$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be between ${min} and ${max}`)
const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http(s) URL' })
const perMinute = (requests: number) => whole(1, 100_000).default(requests)
const list = z.string().transform((value) => value.split(',').map((item) => item.trim()))

/** Every variable of the service, as it stands in the environment; each also as `NAME_FILE`. */
export const Variables = z.strictObject({
  ROLE: z.enum(['all']).default('all'),
  HOST: text.default('127.0.0.1'),
  PORT: whole(0, 65_535).default(8080),
  METRICS_PORT: whole(0, 65_535).default(9464),
  LOG_LEVEL: z.enum(['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace']).default('info'),
  DATA_DIR: text.default('./data'),
  BITCOIN_NETWORK: Network.default('regtest'),
  DEVNET: flag.optional(),
  BITCOIN_RPC_URL: httpUrl.optional(),
  BITCOIN_RPC_USER: text.optional(),
  BITCOIN_RPC_PASSWORD: text.optional(),
  BITCOIN_RPC_COOKIE_FILE: text.optional(),
  BITCOIN_ZMQ_URL: list
    .pipe(z.array(z.string().regex(/^(?:tcp|ipc):\/\/.+/, 'must be tcp:// or ipc:// endpoints')))
    .optional(),
  MEMPOOL_POLL_MS: whole(50, 60_000).default(1_000),
  ASSET_INDEX_URL: httpUrl.optional(),
  ORDER_PARTITIONS: whole(1, 1_024).default(16),
  VERIFY_CONCURRENCY: whole(1, 1_000).default(32),
  SIGNATURE_THREADS: whole(1, 64).default(2),
  MARKET_ENABLED: flag.default(true),
  TRUST_PROXY: list.optional(),
  PUBLIC_ORIGIN: httpUrl.optional(),
  CURSOR_KEY: list
    .pipe(z.array(z.string().min(32, 'each key needs at least 32 characters')).max(2))
    .optional(),
  MAX_VERIFICATION_AGE_SECONDS: whole(1, 86_400).default(600),
  MAX_LAG_BLOCKS: whole(0, 1_000).default(2),
  RATE_LIMIT_ARTIFACT: perMinute(60),
  RATE_LIMIT_REVALIDATE: perMinute(30),
  RATE_LIMIT_IMPORT: perMinute(60),
  RATE_LIMIT_PORTABLE_EVENT: perMinute(60),
})
export type Variables = z.infer<typeof Variables>

export const VARIABLE_NAMES = Object.keys(Variables.shape) as (keyof Variables)[]

/** Never printed, never logged. */
export const SECRET_VARIABLES: ReadonlySet<string> = new Set(['BITCOIN_RPC_PASSWORD', 'CURSOR_KEY'])

/** Rules between variables: each names the variable and the cure. */
export const Config = Variables.superRefine((value, context) => {
  const refuse = (variable: keyof Variables, message: string) =>
    context.addIssue({ code: 'custom', path: [variable], message })
  if (value.DEVNET && value.BITCOIN_NETWORK !== 'regtest') {
    refuse('DEVNET', 'runs on regtest only: set BITCOIN_NETWORK=regtest or DEVNET=off')
  }
  if (value.DEVNET && value.BITCOIN_RPC_URL) {
    refuse('DEVNET', 'stands in for a node: unset it, or unset BITCOIN_RPC_URL')
  }
  if (value.BITCOIN_RPC_URL && !value.BITCOIN_RPC_COOKIE_FILE && !value.BITCOIN_RPC_PASSWORD) {
    refuse(
      'BITCOIN_RPC_URL',
      'needs BITCOIN_RPC_COOKIE_FILE, or BITCOIN_RPC_USER and BITCOIN_RPC_PASSWORD',
    )
  }
  if (value.BITCOIN_RPC_PASSWORD && !value.BITCOIN_RPC_USER) {
    refuse('BITCOIN_RPC_PASSWORD', 'needs BITCOIN_RPC_USER beside it')
  }
  if (value.ASSET_INDEX_URL && !value.BITCOIN_RPC_URL) {
    refuse('ASSET_INDEX_URL', 'is compared with a node on one chain: set BITCOIN_RPC_URL too')
  }
  if (value.BITCOIN_NETWORK === 'mainnet' && !value.PUBLIC_ORIGIN) {
    refuse(
      'PUBLIC_ORIGIN',
      'is required on mainnet: the address by which clients know this service',
    )
  }
})
export type Config = z.infer<typeof Config>

/** Is the devnet the node and the index? */
export const usesDevnet = ({ DEVNET, BITCOIN_NETWORK, BITCOIN_RPC_URL }: Config): boolean =>
  DEVNET ?? (BITCOIN_NETWORK === 'regtest' && BITCOIN_RPC_URL === undefined)
