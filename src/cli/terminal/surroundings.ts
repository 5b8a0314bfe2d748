import { readFileSync, type Stats, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { SECRET_VARIABLES, VARIABLE_NAMES } from '../../schemas/config/config.ts'
import type { ConfigFault, Misgiving } from '../../schemas/config/faults.ts'
import { namesNear } from '../../schemas/near-names.ts'

/** Names another file than `.env`; empty: none is read. */
export const ENV_FILE = 'ENV_FILE'
const FILE_FORM = '_FILE'

/** Secrets of who runs a command; the service has none of them. */
export const OPERATOR_TOKEN = 'OPERATOR_TOKEN'
export const API_KEY = 'API_KEY'
const OF_COMMANDS = [OPERATOR_TOKEN, API_KEY]

const SECRETS: ReadonlySet<string> = new Set([...SECRET_VARIABLES, ...OF_COMMANDS])
const KNOWN = [
  ...[...VARIABLE_NAMES, ...OF_COMMANDS].flatMap((name) => [name, `${name}${FILE_FORM}`]),
  ENV_FILE,
]

/** What a process was started with. */
export interface Surroundings {
  /** The environment's, and the file's where the environment has none. */
  variables: NodeJS.ProcessEnv
  /** Where the file is that was read; null: there is none. */
  file: string | null
  faults: readonly ConfigFault[]
  misgivings: readonly Misgiving[]
}

/** The environment with what a file `.env` in the folder of the process adds to it. */
export function surroundings(env: NodeJS.ProcessEnv, folder: string): Surroundings {
  const name = env[ENV_FILE] ?? '.env'
  const path = resolve(folder, name)
  const isNamed = env[ENV_FILE] !== undefined
  try {
    const stats = name === '' ? undefined : statSync(path, { throwIfNoEntry: isNamed })
    // A folder of this name holds what others keep in it.
    if (!stats || (stats.isDirectory() && !isNamed)) return plain(env)
    return withFile(env, path, stats)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return {
      ...plain(env),
      faults: [{ variable: ENV_FILE, text: `${path} cannot be read: ${why}` }],
    }
  }
}

const plain = (env: NodeJS.ProcessEnv): Surroundings => ({
  variables: env,
  file: null,
  faults: [],
  misgivings: misspelt(Object.keys(env)),
})

function withFile(env: NodeJS.ProcessEnv, file: string, stats: Stats): Surroundings {
  const found = parseEnv(readFileSync(file, 'utf8'))
  const added = Object.entries(found).filter(([name]) => !isSet(env, name))
  const variables = { ...Object.fromEntries(added), ...env }
  const misgivings = misspelt(Object.keys(variables))
  if (isOpen(stats) && Object.keys(found).some((name) => SECRETS.has(name))) {
    const what = `${file} holds secrets, and other users of this machine may read it`
    return {
      variables,
      file,
      faults: [],
      misgivings: [...misgivings, { what, cure: `chmod 600 ${file}` }],
    }
  }
  return { variables, file, faults: [], misgivings }
}

/** In either form: the environment wins over a file whose form is the other one. */
const isSet = (env: NodeJS.ProcessEnv, name: string): boolean =>
  env[name] !== undefined || env[otherForm(name)] !== undefined

function otherForm(name: string): string {
  const isVariable = VARIABLE_NAMES.some((known) => known === name)
  return name.endsWith(FILE_FORM) && !isVariable
    ? name.slice(0, -FILE_FORM.length)
    : `${name}${FILE_FORM}`
}

/** On Windows the mode says nothing. */
const isOpen = ({ mode }: Stats): boolean => process.platform !== 'win32' && (mode & 0o077) !== 0

const misspelt = (names: readonly string[]): Misgiving[] =>
  names.flatMap((name) => {
    const near = namesNear(name, KNOWN)
    if (near.length === 0) return []
    return [
      { what: `${name} is no variable of the service`, cure: `did you mean ${near.join(' or ')}?` },
    ]
  })
