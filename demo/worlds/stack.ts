import path from 'node:path'
import { openApiClient } from '../../test/support/market.ts'
import { STACK_ROLES, Stack } from '../../test/support/stack.ts'
import { openWallet } from '../../test/support/wallet.ts'
import { World } from '../world.ts'

/** How often the miner can pay. */
const PAYMENTS = 30
/** As `npm run build` makes it. */
const PROGRAM = { market: path.resolve(import.meta.dirname, '../../dist/cli/main.js') }

/** Every service and every role as a process of its own on this machine, and a gateway to speak to. */
export async function openStackWorld(): Promise<World> {
  const stack = await Stack.start({ program: PROGRAM })
  try {
    const miner = await openWallet(stack.chain, PAYMENTS)
    await stack.chain.syncIndex()
    await stack.startAll()
    const { address } = stack.role('gateway')
    const { core, ord } = stack.chain
    return new World({
      title: 'a stack of services and roles',
      parts: [
        ['full node', `Bitcoin Core on ${core.url}, regtest`],
        ['asset index', `ord on ${ord.url}`],
        ['event log', `Kafka on ${stack.kafka.broker}`],
        ['order views', `Redis on ${stack.redis.url}`],
        ['history', `ClickHouse's engine on ${stack.clickhouse.url}`],
        ...STACK_ROLES.map((role) => [role, stack.role(role).address] as const),
        ['service', `${address}/api/market`],
      ],
      chain: stack.chain,
      miner,
      market: { ...openApiClient(address), end: () => stack.end() },
    })
  } catch (error) {
    await stack.end()
    throw error
  }
}
