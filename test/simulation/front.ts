import { offerJudge } from '../../src/actors/judge-unproved.ts'
import { EmbeddedUnprovedPool } from '../../src/adapters/embedded/stores/unproved-pool.ts'
import { offerExaminer } from '../../src/authorities/gather-evidence.ts'
import { marketRules } from '../../src/domain/catalog/market-rules.ts'
import type { Gateway } from '../../src/gateway/gateway.ts'
import { lastWatermark } from '../../src/gateway/last-watermark.ts'
import { openStoredBudget } from '../../src/gateway/stored-budget.ts'
import type { EventLog } from '../../src/ports/log/event-log.ts'
import type { CommandRecord } from '../../src/schemas/log.ts'
import { indexOf } from './asset-index.ts'
import { NOBODY } from './chain.ts'
import { nodeOf } from './node.ts'
import { poolStoreOf } from './pool-store.ts'
import { SMALL_POOL } from './pool-watch.ts'
import type { Process } from './process.ts'
import { viewsOf } from './views.ts'
import type { World } from './world.ts'

const VERDICT_WAIT_MS = 15_000
/** How many commands with evidence are late, and by how much at most. */
const OVERTAKEN = 0.1
const OVERTAKEN_MS = 8_000
/** Far more than the sellers of a seed send: the queue is tested elsewhere. */
const STORED_BYTES_AN_HOUR = 2 ** 40

/**
 * The part of the gateway that accepts and stores strangers' input; the rest of it is not
 * simulated.
 */
export function frontOf(
  world: World,
  process: Process,
  log: Pick<EventLog, 'append' | 'partitions'>,
  onAppended: (command: CommandRecord) => void,
): Gateway {
  const { book, chain, dice, index, monitor, poolWatch, views } = world
  const { clock } = process
  const offers = offerExaminer({
    node: nodeOf(chain, process),
    index: indexOf(index, process),
    signatures: book.signatures,
    clock,
  })
  /** What a gateway was told may be overtaken: the partition hears first that the output is spent. */
  const overtake = async (command: CommandRecord) => {
    const isTold = command.command === 'import' && command.evidence !== undefined
    if (!isTold || !dice.chance(OVERTAKEN) || chain.stateOf(command.outpoint) !== 'unspent') return
    chain.enter(chain.make([command.outpoint], [{ valueSats: '777', scriptHex: NOBODY }]))
    await clock.sleep(dice.below(OVERTAKEN_MS))
  }
  const append: EventLog['append'] = async (records) => {
    const commands = records.map(({ value }) => value as CommandRecord)
    for (const command of commands)
      if (!monitor.isLogged(command.orderId)) poolWatch.handedOver(command)
    for (const command of commands) await overtake(command)
    await log.append(records)
    for (const command of commands) onAppended(command)
  }
  const front: Partial<Gateway> = {
    log: { append, partitions: log.partitions } as EventLog,
    views: viewsOf(views, process),
    pool: new EmbeddedUnprovedPool(poolStoreOf(poolWatch.store, process), SMALL_POOL),
    judge: offerJudge({
      offers: { incoming: offers, again: offers },
      network: 'regtest',
      marketOf: marketRules,
    }),
    lastWatermark: lastWatermark({ log, views: viewsOf(views, process), clock }),
    clock,
    stored: openStoredBudget(STORED_BYTES_AN_HOUR, clock),
    newRequestId: () => world.newRequestId(),
    settings: { network: 'regtest', verdictWaitMs: VERDICT_WAIT_MS } as Gateway['settings'],
  }
  return front as Gateway
}
