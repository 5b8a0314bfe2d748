import { openDoor } from '../adapters/door/door-server.ts'
import { rebuildViews } from '../projections/rebuild-views.ts'
import { connectionRules, openLanes } from '../runtime/lanes.ts'
import type { RuntimeContext } from './context/runtime-context.ts'
import { BUILD_INFO } from './observe/build-info.ts'
import type { OpenAuthorities } from './open/authorities.ts'
import type { LocalStore } from './open/local-store.ts'
import type { OpenedLog } from './open/open-log.ts'
import type { OpenedModels } from './open/open-read-models.ts'
import { operatorBundle } from './operator-bundle.ts'

/** Records that a rebuild folds at once: the event loop is shared with clients, as by the projector. */
const REBUILT_AT_ONCE = 50

export interface LentParts extends Pick<OpenedLog, 'log' | 'ingestStore' | 'sizes'> {
  local: LocalStore
  book: OpenedModels
  authorities: OpenAuthorities
  /** The address of the API. */
  api: string
}

/** Lets commands beside this process ask it for what it alone can open in DATA_DIR (ADR 121). */
export async function lendParts(
  context: RuntimeContext,
  { log, ingestStore, sizes, local, book, authorities: { node, index }, api }: LentParts,
): Promise<void> {
  const { config, clock, closer } = context
  const { views, history, statistics } = book
  const door = await openDoor({
    dataDir: config.DATA_DIR,
    release: BUILD_INFO.version,
    parts: {
      ...{ api, log, ingestStore, views, history, statistics, clock },
      lanes: openLanes({ rules: connectionRules(1) }),
      topicSizes: sizes,
      tableSizes: async () => (await local.open()).sizes(),
      rebuildViews: (onProgress, signal) =>
        rebuildViews({ log, views, clock, onProgress, atOnce: REBUILT_AT_ONCE }, signal),
      bundleOf: (orderId, signal) =>
        operatorBundle(context, { log, book, node, index }, orderId, signal),
    },
  })
  closer.add(() => door.close())
}
