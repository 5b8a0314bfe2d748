import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openAuthorities } from '../../roles/open/authorities.ts'
import { openReadModels } from '../../roles/open/open-read-models.ts'
import { operatorBundle } from '../../roles/operator-bundle.ts'
import { type Config, usesDevnet } from '../../schemas/config/config.ts'
import { withKeptLog } from '../log/open-kept.ts'

/**
 * The bundle of an order with nothing withheld, from the stores and the node that the configuration
 * names. Creates nothing.
 *
 * @throws as `withKeptLog` and `operatorBundle`
 */
export const makeDispute = (
  config: Config,
  orderId: string,
  signal: AbortSignal,
): Promise<string> =>
  withKeptLog(config, 'dispute', async ({ context, local, log }) => {
    const book = await openReadModels(context, local, 'read')
    // Opening a devnet that this store never had would create one.
    const isMissing = usesDevnet(config) && !existsSync(join(config.DATA_DIR, 'devnet'))
    const { node, index } = isMissing
      ? { node: null, index: null }
      : openAuthorities(config, context.clock, context.closer)
    return await operatorBundle(context, { log, book, node, index }, orderId, signal)
  })
