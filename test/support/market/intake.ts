import { lastWatermark } from '../../../src/gateway/last-watermark.ts'
import { createContext } from '../../../src/roles/context/runtime-context.ts'
import { type Intake, superviseIntake } from '../../../src/roles/parts/intake.ts'
import { Turn } from '../../../src/runtime/turn.ts'
import { Config } from '../../../src/schemas/config/config.ts'
import type { OrderSummary } from '../../../src/schemas/order.ts'
import { waitUntil } from '../services/programs.ts'
import type { Market } from './market.ts'
import { sharedSignatures } from './shared-signatures.ts'

/** The feeds of a market, controlled by the test. */
export interface OpenIntake extends Intake {
  /** How many items had this result. */
  counted(outcome: string): Promise<number>
  /** How often feeds were paused for this reason. */
  paused(trouble: string): Promise<number>
  /** Every feed has delivered all it had. */
  following(): Promise<void>
  /** As the metrics have each feed: 1 there, 0 away. */
  up(): Promise<number[]>
  /** Whether this process reads the feeds. */
  turn: Turn
  close(): Promise<void>
}

/** Follows the feeds of these variables, with the log and the folder of the market. */
export async function openIntake(
  { stores, dataDir, authorities, config: { BITCOIN_NETWORK, PUBLIC_ORIGIN } }: Market,
  variables: Record<string, string>,
): Promise<OpenIntake> {
  const config = Config.parse({
    DATA_DIR: dataDir,
    BITCOIN_NETWORK,
    ...(PUBLIC_ORIGIN && { PUBLIC_ORIGIN }),
    LOG_LEVEL: 'silent',
    OFFERS_POLL_MS: '100',
    ...variables,
  })
  const context = createContext(config)
  const turn = new Turn()
  turn.set(true)
  const { closer, metrics } = context
  const intake = await superviseIntake(config, {
    ...context,
    log: stores.log,
    node: authorities.node,
    index: authorities.index,
    lastWatermark: lastWatermark({ ...context, ...stores }),
    openSignatures: sharedSignatures,
    turn,
  })
  const sum = async (name: string, label: string, value: string) => {
    const values = (await metrics.registry.getSingleMetric(name)?.get())?.values ?? []
    return values
      .filter(({ labels }) => labels[label] === value)
      .reduce((total, one) => total + one.value, 0)
  }
  return {
    ...intake,
    turn,
    up: async () => {
      const { values = [] } =
        (await metrics.registry.getSingleMetric('market_dependency_up')?.get()) ?? {}
      return values.map(({ value }) => value)
    },
    counted: (outcome) => sum('market_intake_items_total', 'outcome', outcome),
    paused: (trouble) => sum('market_intake_pauses_total', 'trouble', trouble),
    following: () =>
      waitUntil('all feeds are followed', () =>
        [...intake.states().values()].every(({ state }) => state === 'following'),
      ),
    close: () => closer.close(),
  }
}

/** The orders of a source, once there are this many; those that a list leaves out (REJECTED) by a filter. */
export async function ordersFrom(
  market: Market,
  source: string,
  count: number,
  filter = '',
): Promise<OrderSummary[]> {
  let orders: OrderSummary[] = []
  await waitUntil(`there are ${count} orders of ${source}`, async () => {
    const { status, body } = await market.get(`orders?source=${source}&limit=200${filter}`)
    if (status !== 200) return false
    orders = (body as { orders: OrderSummary[] }).orders
    return orders.length >= count
  })
  return orders
}
