import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BuildInfo } from '../../schemas/operations.ts'

/** Written into the programs by `npm run build` (scripts/service-files.ts); absent in the sources. */
declare const MARKET_VERSION: string | undefined
declare const MARKET_COMMIT: string | undefined

const UNKNOWN = 'unknown'

/** What this process was built from, and what runs it. */
export const BUILD_INFO: BuildInfo = {
  version: typeof MARKET_VERSION === 'string' ? MARKET_VERSION : UNKNOWN,
  commit: typeof MARKET_COMMIT === 'string' ? MARKET_COMMIT : UNKNOWN,
  node: process.versions.node,
}

/** One line for people. */
export const describeBuild = ({ version, commit, node }: BuildInfo): string =>
  `market ${version}, commit ${commit}, Node ${node}`

const known = (value: string): string | undefined => (value === UNKNOWN ? undefined : value)

/** `digest`, beside the programs: of all of them, by `npm run build` (scripts/digest-of.ts). */
function digestOfPrograms(): string | undefined {
  try {
    return readFileSync(join(import.meta.dirname, 'digest'), 'utf8').trim()
  } catch {
    return undefined
  }
}

/** What a pipeline signs of this build. What a build does not know, such as where the sources run, is undefined. */
export const RELEASE = {
  name: 'market',
  version: known(BUILD_INFO.version),
  commit: known(BUILD_INFO.commit),
  digest: digestOfPrograms(),
}
