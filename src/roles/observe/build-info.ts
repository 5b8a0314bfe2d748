import type { BuildInfo } from '../../schemas/operations.ts'

/** Written into the programs by `npm run build` (scripts/service-files.ts); absent in the sources. */
declare const MARKET_VERSION: string | undefined
declare const MARKET_COMMIT: string | undefined

/** What this process was built from, and what runs it. */
export const BUILD_INFO: BuildInfo = {
  version: typeof MARKET_VERSION === 'string' ? MARKET_VERSION : 'unknown',
  commit: typeof MARKET_COMMIT === 'string' ? MARKET_COMMIT : 'unknown',
  node: process.versions.node,
}

/** One line for people. */
export const describeBuild = ({ version, commit, node }: BuildInfo): string =>
  `market ${version}, commit ${commit}, Node ${node}`
