import { openBitcoind } from '../../../src/adapters/bitcoind/bitcoind.ts'
import { openOrd } from '../../../src/adapters/ord/ord.ts'
import { meterEventLoopLag } from '../../../src/http/event-loop-lag.ts'
import type { AssetIndex } from '../../../src/ports/authorities/asset-index.ts'
import type { FullNode } from '../../../src/ports/authorities/full-node.ts'
import type { OpenAuthorities } from '../../../src/roles/open/authorities.ts'
import type { Outpoint } from '../../../src/schemas/scalars.ts'
import { ORDERS_ONLY, openMarket } from '../../../test/support/market/market.ts'
import { SERVICE_LOGIN } from '../../../test/support/services/core.ts'
import { systemClock as clock } from '../../../test/support/system-clock.ts'
import { serveParent } from '../../market/wire.ts'

// The whole service in a process of its own, over a real node and a real index. The same process
// asks them by hand as well.

interface Given {
  variables: Record<string, string>
  coreUrl: string
  ordUrl: string
}

let recorded = 0
let byHand: { node: FullNode; index: AssetIndex } | null = null

/** The same part; its calls are counted. */
function counted<T extends object>(part: T): T {
  return new Proxy(part, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== 'function') return method
      return (...args: unknown[]) => {
        recorded += 1
        return Reflect.apply(method, target, args)
      }
    },
  })
}

function authoritiesOf({ coreUrl, ordUrl }: Given): OpenAuthorities {
  const openNode = () =>
    openBitcoind({
      url: coreUrl,
      credentials: SERVICE_LOGIN,
      network: 'regtest',
      mempoolPollMs: 1_000,
      clock,
    })
  const node = openNode()
  const index = openOrd({ url: ordUrl })
  byHand = { node, index }
  return {
    node,
    index,
    blocks: null,
    devnet: null,
    inLane: (lane) => ({
      node: counted(node.inLane(lane)),
      index: counted(index.inLane(lane)),
    }),
    ofIngest: { node: openNode(), index: openOrd({ url: ordUrl }) },
  }
}

serveParent({
  start: async (given: Given) => {
    const variables = { ...ORDERS_ONLY, ...given.variables }
    // Its clients are in another process: what it sheds, it sheds as anywhere.
    const lag = meterEventLoopLag()
    const authorities = authoritiesOf(given)
    const market = await openMarket(variables, { authorities, lagMs: () => lag.read() })
    lag.begin()
    return market.address
  },
  /** Counts the calls of node and index from now on. */
  record: () => {
    recorded = 0
  },
  questions: () => recorded,
  /** Seven calls about an output that is unspent in a block, one after another. */
  askByHand: async (outpoint: Outpoint) => {
    if (!byHand) throw new Error('start comes first')
    const { node, index } = byHand
    const begun = performance.now()
    const before = process.cpuUsage()
    await node.outputAtTip(outpoint)
    const { chain, output } = await node.outputAtTip(outpoint)
    await index.status()
    const confirmations = output.status === 'unspent' ? output.confirmations : 1
    await node.blockHash(chain.tip.height - confirmations + 1)
    await index.output(outpoint)
    await node.chain()
    await index.status()
    const { user, system } = process.cpuUsage(before)
    return { ms: performance.now() - begun, cpuUs: user + system }
  },
  /** Processor time of all threads, microseconds. */
  cpu: () => {
    const { user, system } = process.cpuUsage()
    return user + system
  },
  end: () => {
    setImmediate(() => process.exit(0))
  },
})
