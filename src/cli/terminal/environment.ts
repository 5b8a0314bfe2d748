import { readFileSync } from 'node:fs'
import { OperatorError } from '../../ports/base-errors.ts'
import {
  Config,
  SECRET_VARIABLES,
  usesDevnet,
  VARIABLE_NAMES,
} from '../../schemas/config/config.ts'
import {
  type FoldName,
  START_HEIGHTS,
  StartConfig,
  startHeightOf,
} from '../../schemas/config/start-heights.ts'

/** Stops the start: all problems at once, each naming its variable and the cure. */
export class ConfigError extends OperatorError {
  override name = 'ConfigError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(`invalid configuration:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
    this.problems = problems
  }
}

/** The only reader of the environment. `NAME_FILE` names a file that holds the value of `NAME`. */
export const readConfig = (env: NodeJS.ProcessEnv = process.env): Config => readAs(Config, env)

/** The configuration of a service about to start: more variables are required. */
export const readStartConfig = (env: NodeJS.ProcessEnv = process.env): Config =>
  readAs(StartConfig, env)

function readAs(schema: typeof Config, env: NodeJS.ProcessEnv): Config {
  const problems: string[] = []
  const values: Record<string, string> = {}
  for (const name of VARIABLE_NAMES) {
    const value = rawValue(env, name, problems)
    if (value !== undefined) values[name] = value
  }
  const parsed = schema.safeParse(values)
  if (parsed.success && problems.length === 0) return parsed.data
  const found = parsed.error?.issues.map(problemOf) ?? []
  throw new ConfigError([...problems, ...found])
}

type Issue = NonNullable<ReturnType<typeof Config.safeParse>['error']>['issues'][number]

function problemOf({ path, message, ...issue }: Issue): string {
  const choice = 'values' in issue ? `must be one of ${[issue.values].flat().join(', ')}` : message
  return `${path[0]?.toString()} ${choice}`
}

const OPERATOR_TOKEN = 'OPERATOR_TOKEN'
const API_KEY = 'API_KEY'

/**
 * The token of the operator who runs a command; the service itself has hashes alone.
 *
 * @throws ConfigError
 */
export const readOperatorToken = (env: NodeJS.ProcessEnv = process.env): string =>
  requiredSecret(env, OPERATOR_TOKEN, 'the token of an operator')

/** The key of the customer who runs a command. @throws ConfigError */
export const readApiKey = (env: NodeJS.ProcessEnv = process.env): string =>
  requiredSecret(env, API_KEY, 'the key of a customer')

function requiredSecret(env: NodeJS.ProcessEnv, name: string, what: string): string {
  const problems: string[] = []
  const secret = rawValue(env, name, problems)
  if (secret && problems.length === 0) return secret
  if (problems.length > 0) throw new ConfigError(problems)
  throw new ConfigError([`${name} is required: ${what}, or ${name}_FILE with a file that holds it`])
}

function rawValue(env: NodeJS.ProcessEnv, name: string, problems: string[]): string | undefined {
  // A Secret created from a file keeps the line break at the end of the file.
  const direct = env[name]?.replace(/\r?\n$/, '')
  const file = env[`${name}_FILE`]
  // BITCOIN_RPC_COOKIE_FILE is a variable of its own, not the file form of another.
  if (file === undefined || VARIABLE_NAMES.some((known) => known === `${name}_FILE`)) return direct
  if (direct !== undefined) {
    problems.push(`${name} is set twice: unset ${name} or ${name}_FILE`)
    return undefined
  }
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    problems.push(`${name}_FILE cannot be read: ${error instanceof Error ? error.message : error}`)
    return undefined
  }
}

/** The effective configuration, one variable per line, secrets redacted. */
export const printConfig = (config: Config): string =>
  shownConfig(config)
    .map(([name, text]) => `${name}=${text}`)
    .join('\n')

/** The configuration, each variable with its text. */
export const shownConfig = (config: Config): [name: string, text: string][] =>
  VARIABLE_NAMES.map((name) => [name, shown(name, inForce(name, config))])

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
])
