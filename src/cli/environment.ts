import { readFileSync } from 'node:fs'
import { Config, SECRET_VARIABLES, usesDevnet, VARIABLE_NAMES } from '../schemas/config.ts'

/** The start is stopped by these: all problems at once, each naming its variable and the cure. */
export class ConfigInvalid extends Error {
  override name = 'ConfigInvalid'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(
      `the configuration is not usable:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
    )
    this.problems = problems
  }
}

/** The only reader of the environment. `NAME_FILE` names a file that holds the value of `NAME`. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const problems: string[] = []
  const values: Record<string, string> = {}
  for (const name of VARIABLE_NAMES) {
    const value = rawValue(env, name, problems)
    if (value !== undefined) values[name] = value
  }
  const parsed = Config.safeParse(values)
  if (parsed.success && problems.length === 0) return parsed.data
  const found = parsed.error?.issues.map(problemOf) ?? []
  throw new ConfigInvalid([...problems, ...found])
}

type Issue = NonNullable<ReturnType<typeof Config.safeParse>['error']>['issues'][number]

function problemOf({ path, message, ...issue }: Issue): string {
  const choice = 'values' in issue ? `must be one of ${[issue.values].flat().join(', ')}` : message
  return `${path[0]?.toString()} ${choice}`
}

function rawValue(env: NodeJS.ProcessEnv, name: string, problems: string[]): string | undefined {
  // A Secret that was made of a file has the line break at the end of the file.
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

/** What is in force, a variable a line, secrets redacted. */
export const printConfig = (config: Config): string =>
  VARIABLE_NAMES.map((name) => `${name}=${shown(name, inForce(name, config))}`).join('\n')

const inForce = (name: keyof Config, config: Config): unknown =>
  name === 'DEVNET' ? usesDevnet(config) : config[name]

function shown(name: string, value: unknown): string {
  if (value === undefined) return '(not set)'
  if (SECRET_VARIABLES.has(name)) return '(set, not shown)'
  // Addresses of others: what stands in their queries may be a key.
  return QUERIES_NOT_SHOWN.has(name)
    ? String(value).replaceAll(/\?[^,]*/g, '?(not shown)')
    : String(value)
}

const QUERIES_NOT_SHOWN: ReadonlySet<string> = new Set(['NOSTR_RELAYS', 'OFFERS_URL'])
