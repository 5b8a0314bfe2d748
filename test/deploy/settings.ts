import { readFileSync } from 'node:fs'
import { readStartConfig } from '../../src/cli/terminal/environment.ts'
import { type Config, ROLES, type Role } from '../../src/schemas/config/config.ts'
import {
  ConfigMapPatch,
  ConfigMaps,
  objectsIn,
  objectsOf,
  of,
  variablesIn,
  Workload,
} from './manifests.ts'

// The workloads of the base, and the variables that they get in each folder that is applied.

export const APART = ROLES.filter((role): role is Exclude<Role, 'all'> => role !== 'all')
export const BASE = objectsIn('base')
export const WORKLOADS = new Map(of(Workload, BASE).map((one) => [one.metadata.name, one]))
export const workload = (role: string): Workload => {
  const found = WORKLOADS.get(role)
  if (!found) throw new Error(`${role} has no workload`)
  return found
}
export const containerOf = (role: string) => workload(role).spec.template.spec.containers[0]!
export const VERSION = (JSON.parse(readFileSync('package.json', 'utf8')) as { version: string })
  .version

/** What each configuration map is made from, in every overlay. */
export const FILES: Record<string, string> = {
  market: 'market.env',
  'market-chain': 'chain.env',
  'market-stores': 'stores.env',
  'market-pairing': 'pairing.env',
  'market-circles': 'circles.env',
}
export const FOLDERS = {
  base: ['base'],
  example: ['base', 'overlays/example'],
  'pairing-b': ['base', 'overlays/pairing-b'],
}
export type Setting = keyof typeof FOLDERS
/** Those that run every role; `pairing-b` runs one. */
export const SETTINGS: readonly Setting[] = ['base', 'example']
/** The files of each map that a folder makes or adds to, as its kustomization names them. */
export const mapsOf = (folder: string): Record<string, string[]> => {
  const { configMapGenerator } = ConfigMaps.parse(objectsOf(`${folder}/kustomization.yaml`)[0])
  return Object.fromEntries(configMapGenerator.map(({ name, envs }) => [name, envs]))
}
/** What `pairing-alone` removes from the maps. */
export const TAKEN_OUT = of(
  ConfigMapPatch,
  objectsOf('components/pairing-alone/without-stores.yaml'),
)

/** The final contents of the maps. */
export function variablesOf(setting: Setting, maps = Object.keys(FILES)): Record<string, string> {
  const files = maps.flatMap((map) =>
    FOLDERS[setting].flatMap((folder) =>
      (mapsOf(folder)[map] ?? []).map((file) => variablesIn(`${folder}/${file}`)),
    ),
  )
  const variables: Record<string, string> = Object.assign({}, ...files)
  if (setting !== 'pairing-b') return variables
  const gone = new Set(TAKEN_OUT.flatMap(({ data }) => Object.keys(data)))
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !gone.has(name)))
}
export const BASE_VARIABLES = variablesOf('base')

/** The secrets that a manifest requires, and the key of a pipeline that signs. */
function secretsOf(role: Role, setting: Setting): Record<string, string> {
  const needed = containerOf(role).env.filter((one) => !one.valueFrom.secretKeyRef.optional)
  return {
    ...Object.fromEntries(needed.map(({ name }) => [name, 's'.repeat(32)])),
    ...(role === 'pairing' && setting !== 'base' ? { PAIRING_PRIVATE_KEY: '7'.repeat(64) } : {}),
  }
}

/** What a role of a setting starts with; throws `ConfigError`. */
export function configOf(role: Role, setting: Setting): Config {
  const maps = containerOf(role).envFrom.map(({ configMapRef }) => configMapRef.name)
  return readStartConfig({ ROLE: role, ...variablesOf(setting, maps), ...secretsOf(role, setting) })
}
