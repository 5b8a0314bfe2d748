import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Bundle } from '../../test/support/bundle.ts'
import { ServiceProcess } from '../../test/support/services/service-process.ts'
import { longestDelayMs, ratesDuring, readingOf, restingPercent } from './measure.ts'
import { Stub } from './stub.ts'
import type { StubSettings, StubState } from './stub-node.ts'

/** One figure next to its goal (the highest acceptable value). */
export interface Row {
  what: string
  figure: number
  unit: string
  most: number
  /** The same before the service was prepared for mainnet, in the short form; absent: not measured. */
  before?: number
  /** A count, however long it took: a slow machine is no excuse. */
  isCount?: true
  /** Other programs on the machine affect it: not meaningful on a busy one. */
  isOfIdleMachine?: true
  /** The shares that it is the sum of. */
  shares?: Record<string, number>
}

export type Rehearse = (program: Bundle, isShort: boolean) => Promise<Row[]>

/** A start's remaining work is over by then. */
const SETTLED_MS = 15_000
const DAY_S = 86_400
const GB = 1e9
const MAINNET = { height: 950_000, fullBlocks: 10, transactions: 3_500, mempool: 0 }
const SHORT = { ...MAINNET, height: 20_000 }

const isReady = async (address: string): Promise<boolean> =>
  (await fetch(`${address}/readyz`)).status === 200

/** `npm start`, as a newcomer leaves it running. */
export const idleDevnet: Rehearse = (program, isShort) =>
  withDirectory(async (dataDir) => {
    await using service = new ServiceProcess(program, ['start'], {
      DATA_DIR: dataDir,
      PORT: '0',
      METRICS_PORT: '0',
    })
    await service.ready()
    await delay(SETTLED_MS)
    const rates = await ratesDuring(isShort ? 30_000 : 120_000, () =>
      readingOf(service.pid, dataDir),
    )
    return [
      {
        what: 'written while nothing happens',
        figure: rates.bytesPerS,
        unit: 'B/s',
        before: 900_000,
        most: 20_000,
        isCount: true,
      },
      { what: 'of a core meanwhile', figure: rates.cpuPercent, unit: '%', before: 5, most: 5 },
    ]
  })

/** The first start on mainnet, then transactions and blocks at mainnet's rate, announced by ZMQ. */
export const blocksAndTransactions: Rehearse = (program, isShort) =>
  onMainnet(
    program,
    { ...(isShort ? SHORT : MAINNET), perSecond: 7, blockEveryMs: 30_000 },
    async ({ service, stub, dataDir, servedMs }) => {
      await delay(SETTLED_MS)
      // The same number of blocks in every run: a short one has one.
      await afterBlock(stub)
      const ms = isShort ? 35_000 : 180_000
      const rates = await ratesDuring(ms, () => readingOf(service.pid, dataDir))
      return [
        { what: 'first start until it is ready', figure: servedMs / 1_000, unit: 's', most: 60 },
        {
          what: 'commits at 7 transactions/s',
          figure: rates.commitsPerS,
          unit: '/s',
          before: 27,
          most: 6,
          isCount: true,
        },
        {
          what: 'written at 7 transactions/s',
          figure: (rates.bytesPerS * DAY_S) / GB,
          unit: 'GB/day',
          before: 349,
          most: 20,
          isCount: true,
        },
      ]
    },
  )

/** The same without blocks: what it asks of node and index to know that there is none. */
export const quietChain: Rehearse = (program, isShort) =>
  onMainnet(
    program,
    { ...(isShort ? SHORT : MAINNET), perSecond: 7, blockEveryMs: 0 },
    async ({ stub }) => {
      await delay(SETTLED_MS)
      const before = await stub.state()
      const ms = isShort ? 30_000 : 120_000
      await delay(ms)
      const after = await stub.state()
      const perMinute = (calls: number) => (calls / ms) * 60_000
      return [
        {
          what: 'requests to the node while the chain is quiet, empty book',
          figure: perMinute(after.httpRequests - before.httpRequests),
          unit: '/min',
          before: 696,
          most: 60,
          isCount: true,
          shares: Object.fromEntries(
            Object.entries(after.requestsOf).map(([what, count]) => [
              what,
              perMinute(count - (before.requestsOf[what] ?? 0)),
            ]),
          ),
        },
        {
          what: 'requests to the index while the chain is quiet, empty book',
          figure: perMinute(after.indexRequests - before.indexRequests),
          unit: '/min',
          before: 175,
          most: 36,
          isCount: true,
        },
      ]
    },
  )

/** Until it has mined another block. */
async function afterBlock(stub: Stub): Promise<void> {
  const { height } = await stub.state()
  while ((await stub.state()).height === height) await delay(100)
}

/** A mempool as in a rush, without notifications of its changes. */
export const manyInTheMempool: Rehearse = (program, isShort) =>
  mempoolOf(isShort ? 50_000 : 300_000, 1)(program, isShort)

/** Whatever they were asked with. */
const listsOf = ({ requestsOf }: StubState): number =>
  Object.entries(requestsOf)
    .filter(([methods]) => methods.includes('getrawmempool'))
    .reduce((sum, [, count]) => sum + count, 0)

/** `allowance`: how many times its goal the thread may be busy. */
export const mempoolOf =
  (mempool: number, allowance: number): Rehearse =>
  (program, isShort) =>
    onMainnet(
      program,
      { ...(isShort ? SHORT : MAINNET), mempool, perSecond: 7, blockEveryMs: 0 },
      async ({ service, stub, dataDir, metricsUrl }) => {
        const most = 5
        const polled = {
          read: () => readingOf(service.pid, dataDir),
          lists: async () => listsOf(await stub.state()),
        }
        const resting = await restingPercent(polled, most * allowance)
        const longest = await longestDelayMs(metricsUrl, isShort ? 10 : 30)
        return [
          {
            what: 'event loop held by a mempool without ZMQ',
            figure: longest,
            unit: 'ms',
            before: 62,
            most: 50,
            isOfIdleMachine: true,
          },
          { what: 'of its thread meanwhile', figure: resting, unit: '%', most },
        ]
      },
      { isPushed: false },
    )

export interface Rehearsed {
  service: ServiceProcess
  stub: Stub
  dataDir: string
  address: string
  metricsUrl: string
  /** From the start of the process until it was ready. */
  servedMs: number
}

interface Start {
  /** By ZMQ. */
  isPushed?: boolean
  /** Blocks below the tip that are folded at first. */
  foldedAtFirst?: number
  /** Measured once it is ready, or while it becomes so. */
  isReadyFirst?: boolean
}

export const onMainnet = (
  program: Bundle,
  settings: StubSettings,
  measure: (rehearsed: Rehearsed) => Promise<Row[]>,
  { isPushed = true, foldedAtFirst = 0, isReadyFirst = true }: Start = {},
): Promise<Row[]> =>
  withDirectory(async (dataDir) => {
    const stub = await Stub.start(settings)
    try {
      const { rpcUrl, indexUrl, zmqUrl, height } = await stub.state()
      const begun = performance.now()
      await using service = new ServiceProcess(program, ['start'], {
        DATA_DIR: dataDir,
        PORT: '0',
        METRICS_PORT: '0',
        BITCOIN_NETWORK: 'mainnet',
        PUBLIC_ORIGIN: 'https://market.example',
        BITCOIN_RPC_URL: rpcUrl,
        BITCOIN_RPC_USER: 'user',
        BITCOIN_RPC_PASSWORD: 'password',
        ASSET_INDEX_URL: indexUrl,
        PAIRING_START_HEIGHT: String(height - foldedAtFirst),
        CIRCLES_START_HEIGHT: String(height - foldedAtFirst),
        ...(isPushed ? { BITCOIN_ZMQ_URL: zmqUrl } : {}),
      })
      const address = await service.ready()
      while (isReadyFirst && !(await isReady(address))) await delay(100)
      const servedMs = performance.now() - begun
      const [, metricsUrl = ''] = /^ {2}metrics +(\S+)$/m.exec(service.stdout) ?? []
      return await measure({ service, stub, dataDir, address, metricsUrl, servedMs })
    } finally {
      await stub.end()
    }
  })

async function withDirectory<T>(run: (directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(path.join(tmpdir(), 'market-rehearsal-'))
  try {
    return await run(directory)
  } finally {
    rmSync(directory, { recursive: true })
  }
}
