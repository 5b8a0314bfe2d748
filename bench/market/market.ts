import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AssetIndex } from '../../src/ports/authorities/asset-index.ts'
import type { FullNode, NodeChange } from '../../src/ports/authorities/full-node.ts'
import type { NewRecord } from '../../src/ports/log/event-log.ts'
import { leaveNoOrphan } from '../../test/support/processes/orphans.ts'
import { servedAuthorities } from './remote-authorities.ts'
import type { Vitals } from './service.ts'
import { channelTo, endOf, openWire } from './wire.ts'

const OVERLOADED = 503
const RETRY_MS = 50

/** The service, running in a process of its own on this process's devnet. */
export interface Market {
  address: string
  api: string
  partitions: number
  /** Requests to node and index so far. */
  requests(): number
  append(records: readonly NewRecord[]): Promise<void>
  vitals(): Promise<Vitals>
  get<T>(path: string): Promise<T>
  /** A metric's value, as in `/metrics`. */
  metric(name: string): Promise<number>
  /** Resolves at once if the service has ended by itself. */
  stop(): Promise<void>
}

interface Started {
  address: string
  metricsAddress: string
  partitions: number
}

/** Starts the service and resolves when it serves. */
export async function startMarket(
  authorities: { node: FullNode; index: AssetIndex },
  dataDir: string,
  settings: Record<string, string> = {},
): Promise<Market> {
  const variables = {
    ...settings,
    DATA_DIR: dataDir,
    PORT: '0',
    METRICS_PORT: '0',
    LOG_LEVEL: 'error',
    // The bench looks every 50 ms how far it is.
    RATE_LIMIT_READ: '100000',
  }
  const child = fork(new URL('./service.ts', import.meta.url), [JSON.stringify(variables)], {
    execArgv: ['--import', 'tsx', ...profiling()],
    serialization: 'advanced',
  })
  // By itself it may wait at its exit for a thread of its store, whose files are gone.
  leaveNoOrphan(child)
  const gone = endOf(child, 'with the service')
  let requests = 0
  const push = (change: NodeChange | 'ended') => {
    // The service that ends has no use for it.
    if (child.connected) call('push', change).catch(() => undefined)
  }
  const call = openWire(
    channelTo(child),
    servedAuthorities(
      authorities,
      push,
      () => {
        requests += 1
      },
      gone,
    ),
    gone,
  )
  const { address, metricsAddress, partitions } = await call<Started>('start')
  const api = `${address}/api/market`
  return {
    address,
    api,
    partitions,
    requests: () => requests,
    append: (records) => call('append', records),
    vitals: () => call('vitals'),
    get: async <T>(path: string) => {
      let answer = await fetch(`${api}/${path}`)
      while (answer.status === OVERLOADED) {
        await sleep(RETRY_MS)
        answer = await fetch(`${api}/${path}`)
      }
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
      return (await answer.json()) as T
    },
    metric: async (name) => {
      const text = await (await fetch(`${metricsAddress}/metrics`)).text()
      const line = text.split('\n').find((each) => each.startsWith(`${name} `))
      return Number(line?.split(' ')[1] ?? Number.NaN)
    },
    stop: async () => {
      if (gone.aborted) return
      const exit = once(child, 'exit')
      await call('stop').catch((error: unknown) => {
        // It may end meanwhile by itself.
        if (!gone.aborted) throw error
      })
      await exit
    },
  }
}

/** BENCH_PROFILE: a folder for the service's CPU profiles. */
const profiling = (): string[] => {
  const folder = process.env['BENCH_PROFILE']
  return folder ? ['--cpu-prof', `--cpu-prof-dir=${folder}`] : []
}
