import type { OrdLogin } from '../../adapters/ord/server.ts'
import type { Config } from '../../schemas/config/config.ts'

type LoginOfIndex = Pick<Config, 'ASSET_INDEX_URL' | 'ASSET_INDEX_USER' | 'ASSET_INDEX_PASSWORD'>

/** The login of the index, for what the same server is asked besides; another server is sent none. */
export function indexLoginAt(config: LoginOfIndex, url: string): OrdLogin | undefined {
  const { ASSET_INDEX_URL: indexUrl } = config
  const isOfIndex = indexUrl !== undefined && new URL(indexUrl).origin === new URL(url).origin
  const { ASSET_INDEX_USER: user, ASSET_INDEX_PASSWORD: password } = config
  return isOfIndex && user && password ? { user, password } : undefined
}
