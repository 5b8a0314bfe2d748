import path from 'node:path'
import { openWallet } from '../../test/support/chain/wallet.ts'
import { openApiClient } from '../../test/support/market/api-client.ts'
import { freePort } from '../../test/support/services/programs.ts'
import { Stack } from '../../test/support/services/stack.ts'
import type { Hook } from '../stage/hook.ts'
import { World } from '../stage/world.ts'
import { pipelineVariables } from './pipelines.ts'

/** How often the miner can pay. */
const PAYMENTS = 30
/** As built by `npm run build`. */
const PROGRAM = { market: path.resolve(import.meta.dirname, '../../dist/cli/main.js') }

/** Every service and every role as a process of its own on this machine, and a gateway to speak to. */
export async function openStackWorld(hook: Hook): Promise<World> {
  const stack = await Stack.start({ program: PROGRAM, variables: hook.variables })
  try {
    const miner = await openWallet(stack.chain, PAYMENTS)
    await stack.chain.syncIndex()
    await stack.startAll()
    const [portA, portB] = [await freePort(), await freePort()]
    const pipelines = pipelineVariables({ A: local(portA), B: local(portB) })
    const [pairing, , circles] = await Promise.all([
      stack.startRole('pairing', 'pairing-a', { ...pipelines.A, PORT: String(portA) }),
      stack.startRole('pairing', 'pairing-b', { ...pipelines.B, PORT: String(portB) }),
      stack.startRole('circles'),
      stack.startRole('webhooks'),
    ])
    const { address } = stack.role('gateway')
    const gateway = openApiClient(address)
    const answering = [
      ['/pairing/', openApiClient(pairing.address)],
      ['/circles/', openApiClient(circles.address)],
    ] as const
    const get: typeof gateway.get = (asked) =>
      (answering.find(([prefix]) => asked.startsWith(prefix))?.[1] ?? gateway).get(asked)
    const { core, ord } = stack.chain
    return new World({
      title: 'a stack of services and roles',
      parts: [
        ['full node', `Bitcoin Core on ${core.url}, regtest`],
        ['asset index', `ord on ${ord.url}`],
        ['event log', `Kafka on ${stack.kafka.broker}`],
        ['order views', `Redis on ${stack.redis.url}`],
        ['history', `ClickHouse's engine on ${stack.clickhouse.url}`],
        ...[...stack.roles.values()].map(({ name, address }) => [name, address] as const),
        ['service', `${address}/api/market`],
      ],
      chain: stack.chain,
      miner,
      market: { ...gateway, address, get, end: () => stack.end() },
      hook,
    })
  } catch (error) {
    await stack.end()
    throw error
  }
}

const local = (port: number): string => `http://127.0.0.1:${port}`
