import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openAuthorities } from '../../roles/open/authorities.ts'
import { openReadModels } from '../../roles/open/open-read-models.ts'
import { NoBundleError, operatorBundle } from '../../roles/operator-bundle.ts'
import { untilAborted } from '../../runtime/until-aborted.ts'
import { type Config, usesDevnet } from '../../schemas/config/config.ts'
import { withExistingLog } from '../log/open-existing.ts'

/**
 * The bundle of an order with nothing withheld, from the stores and the node that the configuration
 * names, or by the service that has them open. Creates nothing.
 *
 * @throws as `withExistingLog` and `operatorBundle`
 */
export const makeDispute = (
  config: Config,
  orderId: string,
  signal: AbortSignal,
): Promise<string> =>
  withExistingLog(config, 'dispute', async ({ context, local, log }) => {
    if (context.door)
      return await untilAborted(context.door.ask('bundle', orderId), signal, () => {
        throw new NoBundleError('interrupted: there is no bundle')
      })
    const book = await openReadModels(context, local, 'read')
    // Opening a devnet that this store never had would create one.
    const isMissing = usesDevnet(config) && !existsSync(join(config.DATA_DIR, 'devnet'))
    const { node, index } = isMissing
      ? { node: null, index: null }
      : openAuthorities(config, context.clock, context.closer)
    return await operatorBundle(context, { log, book, node, index }, orderId, signal)
  })
