import { openBitcoind } from '../../../src/adapters/bitcoind/bitcoind.ts'
import { openOrd } from '../../../src/adapters/ord/ord.ts'
import type { OpenAuthorities } from '../../../src/roles/open/authorities.ts'
import { ORDERS_ONLY, openMarket } from '../../../test/support/market/market.ts'
import { SERVICE_LOGIN } from '../../../test/support/services/core.ts'
import { systemClock as clock } from '../../../test/support/system-clock.ts'
import { type Channel, openWire } from '../../market/wire.ts'

// The whole service in a process of its own, over a real node and a real index. Their requests
// during imports are recorded, so that the same process can repeat them, one after another.

interface Given {
  variables: Record<string, string>
  coreUrl: string
  ordUrl: string
}

type Question = () => unknown

let recorded: Question[] = []

/** The same part; each call of it is recorded, and can be repeated. */
function recording<T extends object>(part: T): T {
  return new Proxy(part, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== 'function') return method
      return (...args: unknown[]) => {
        const ask: Question = () => Reflect.apply(method, target, args)
        recorded.push(ask)
        return ask()
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
  return {
    node,
    index,
    blocks: null,
    devnet: null,
    inLane: (lane) => ({
      node: recording(node.inLane(lane)),
      index: recording(index.inLane(lane)),
    }),
    ofIngest: { node: openNode(), index: openOrd({ url: ordUrl }) },
  }
}

openWire(process as unknown as Channel, {
  start: async (given: Given) => {
    const variables = { ...ORDERS_ONLY, ...given.variables }
    const market = await openMarket(variables, { authorities: authoritiesOf(given) })
    return market.address
  },
  /** Forgets the requests so far. */
  record: () => {
    recorded = []
  },
  /** Repeats the requests since then, one after another: how many, and how long it takes. */
  askAgain: async () => {
    const questions = recorded
    const begun = performance.now()
    const before = process.cpuUsage()
    for (const ask of questions) await ask()
    const { user, system } = process.cpuUsage(before)
    recorded = []
    return {
      questions: questions.length,
      ms: performance.now() - begun,
      cpuUs: user + system,
    }
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
