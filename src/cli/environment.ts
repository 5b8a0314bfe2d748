import { readFileSync } from 'node:fs'
import { Config, SECRET_VARIABLES, VARIABLE_NAMES } from '../schemas/config.ts'

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
  const found =
    parsed.error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`) ?? []
  throw new ConfigInvalid([...problems, ...found])
}

function rawValue(env: NodeJS.ProcessEnv, name: string, problems: string[]): string | undefined {
  const direct = env[name]
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
  VARIABLE_NAMES.map((name) => `${name}=${shown(name, config[name])}`).join('\n')

function shown(name: string, value: unknown): string {
  if (value === undefined) return ''
  return SECRET_VARIABLES.has(name) ? '(set)' : String(value)
}
