import { readFileSync } from 'node:fs'
import { OperatorError } from '../../ports/base-errors.ts'
import {
  Config,
  SECRET_VARIABLES,
  usesDevnet,
  VARIABLE_NAMES,
  Variables,
} from '../../schemas/config/config.ts'
import type { ConfigFault } from '../../schemas/config/faults.ts'
import {
  type FoldName,
  START_HEIGHTS,
  StartConfig,
  startHeightOf,
} from '../../schemas/config/start-heights.ts'
import {
  API_KEY,
  ENV_FILE,
  OPERATOR_TOKEN,
  type Surroundings,
  surroundings,
} from './surroundings.ts'

/** Stops the start: all problems at once, each naming its variable and the cure. */
export class ConfigError extends OperatorError {
  override name = 'ConfigError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(`invalid configuration:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
    this.problems = problems
  }
}

/** A configuration with what is wrong in it. */
export interface ExaminedConfig {
  config: Config
  faults: readonly ConfigFault[]
  /** Variables that are wrong by themselves: the configuration has their defaults. */
  untaken: ReadonlySet<string>
}

/** The environment of this process; a file is read once. */
let here: Surroundings | undefined
export function surroundingsHere(): Surroundings {
  here ??= surroundings(process.env, process.cwd())
  return here
}

const OWN_PACKAGE = 'psbt-market'

/** What begins a command where this process was started: a script of a clone, or the program's name. */
export const commandHere = (env: NodeJS.ProcessEnv = process.env): string =>
  env['npm_package_name'] === OWN_PACKAGE ? 'npm run market --' : 'market'

/** The only reader of the environment. `NAME_FILE` names a file that holds the value of `NAME`. */
export const readConfig = (env?: NodeJS.ProcessEnv): Config => sound(examineConfig(env))

/** The configuration of a service about to start: more variables are required. */
export const readStartConfig = (env?: NodeJS.ProcessEnv): Config =>
  sound(examineConfig(env, StartConfig))

/** The configuration as far as it goes, with all that is wrong. */
export function examineConfig(
  env?: NodeJS.ProcessEnv,
  schema: typeof Config = Config,
): ExaminedConfig {
  const { variables, faults: unread } = env ? { variables: env, faults: [] } : surroundingsHere()
  const faults = [...unread]
  const values: Record<string, string> = {}
  for (const name of VARIABLE_NAMES) {
    const value = rawValue(variables, name, faults)
    if (value !== undefined) values[name] = value
  }
  const parsed = schema.safeParse(values)
  const found = parsed.error?.issues.map(faultOf) ?? []
  const alone = Variables.safeParse(values).error?.issues.map(faultOf) ?? []
  const untaken = new Set([...faults, ...alone].map(({ variable }) => variable))
  for (const variable of untaken) delete values[variable]
  const config = parsed.data ?? Variables.parse(values)
  return { config, faults: [...faults, ...found], untaken }
}

function sound({ config, faults }: ExaminedConfig): Config {
  if (faults.length > 0) throw new ConfigError(faults.map(({ text }) => text))
  return config
}

type Issue = NonNullable<ReturnType<typeof Config.safeParse>['error']>['issues'][number]

function faultOf({ path, message, ...issue }: Issue): ConfigFault {
  const choice = 'values' in issue ? `must be one of ${[issue.values].flat().join(', ')}` : message
  const variable = String(path[0])
  return { variable, text: `${variable} ${choice}` }
}

/**
 * The token of the operator who runs a command; the service itself has hashes alone.
 *
 * @throws ConfigError
 */
export const readOperatorToken = (env?: NodeJS.ProcessEnv): string =>
  requiredSecret(env, OPERATOR_TOKEN, 'the token of an operator')

/** The key of the customer who runs a command. @throws ConfigError */
export const readApiKey = (env?: NodeJS.ProcessEnv): string =>
  requiredSecret(env, API_KEY, 'the key of a customer')

/**
 * What the client of AWS is configured by. It reads the environment of the process alone, so what `.env`
 * has of it is put there. Its warning of what later versions need of Node is off: the lock file has this one.
 */
export function awsVariables(): NodeJS.ProcessEnv {
  const given = Object.entries(surroundingsHere().variables)
  const variables = Object.fromEntries(given.filter(([name]) => name.startsWith('AWS_')))
  Object.assign(process.env, variables)
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true'
  return variables
}

function requiredSecret(env: NodeJS.ProcessEnv | undefined, name: string, what: string): string {
  const faults: ConfigFault[] = []
  const secret = rawValue(env ?? surroundingsHere().variables, name, faults)
  if (faults.length > 0) throw new ConfigError(faults.map(({ text }) => text))
  // What no header takes.
  if (secret && !/^[\x21-\x7e]+$/.test(secret))
    throw new ConfigError([`${name} must be of visible ASCII characters, without spaces`])
  if (secret) return secret
  throw new ConfigError([`${name} is required: ${what}, or ${name}_FILE with a file that holds it`])
}

function rawValue(env: NodeJS.ProcessEnv, name: string, faults: ConfigFault[]): string | undefined {
  // A Secret created from a file keeps the line break at the end of the file.
  const direct = env[name]?.replace(/\r?\n$/, '')
  const file = env[`${name}_FILE`]
  // BITCOIN_RPC_COOKIE_FILE is a variable of its own, not the file form of another.
  if (file === undefined || VARIABLE_NAMES.some((known) => known === `${name}_FILE`)) return direct
  if (direct !== undefined) {
    faults.push({ variable: name, text: `${name} is set twice: unset ${name} or ${name}_FILE` })
    return undefined
  }
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    const why = error instanceof Error ? error.message : error
    faults.push({ variable: name, text: `${name}_FILE cannot be read: ${why}` })
    return undefined
  }
}

/** A line per variable, what is wrong beside it, secrets redacted; last what is of no variable. */
export function printConfig(config: Config, { faults, untaken }: Wrong = RIGHT): string {
  const wrong = (name: string) =>
    faults.flatMap(({ variable, text }) => (variable === name ? [`# wrong: ${text}`] : []))
  const lines = shownConfig(config, untaken).map(([name, text]) =>
    [`${name}=${text}`, ...wrong(name)].join('  '),
  )
  return [...lines, ...wrong(ENV_FILE)].join('\n')
}

type Wrong = Omit<ExaminedConfig, 'config'>
const RIGHT: Wrong = { faults: [], untaken: new Set() }

/** The configuration, each variable with its text. */
export const shownConfig = (
  config: Config,
  untaken: ExaminedConfig['untaken'],
): [name: string, text: string][] =>
  VARIABLE_NAMES.map((name) => [
    name,
    untaken.has(name) ? '(not taken)' : shown(name, inForce(name, config)),
  ])

function inForce(name: keyof Config, config: Config): unknown {
  const fold = FOLD_OF.get(name)
  if (fold && config.BITCOIN_NETWORK !== 'mainnet') return startHeightOf(config, fold)
  return name === 'DEVNET' ? usesDevnet(config) : config[name]
}

const FOLD_OF: ReadonlyMap<string, FoldName> = new Map([
  [START_HEIGHTS.pairing, 'pairing'],
  [START_HEIGHTS.circles, 'circles'],
])

function shown(name: string, value: unknown): string {
  if (value === undefined) return '(not set)'
  if (SECRET_VARIABLES.has(name)) return '(set, not shown)'
  // Third-party addresses: their queries may hold a key.
  return QUERIES_NOT_SHOWN.has(name)
    ? String(value).replaceAll(/\?[^,]*/g, '?(not shown)')
    : String(value)
}

const QUERIES_NOT_SHOWN: ReadonlySet<string> = new Set([
  'NOSTR_RELAYS',
  'NOSTR_TRUSTED_RELAYS',
  'OFFERS_URL',
  'FIAT_PRICES_URL',
  'KAFKA_OAUTH_TOKEN_URL',
  'PAIRING_B_URL',
])
