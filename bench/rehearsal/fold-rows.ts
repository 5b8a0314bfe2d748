import { setTimeout as delay } from 'node:timers/promises'
import { readingOf } from './measure.ts'
import { Pages } from './pages.ts'
import { onMainnet, type Rehearse } from './rows.ts'

const BLOCK_BYTES = 1_733_000
const TRANSACTIONS = 3_500
const FOLDS = ['pairing', 'circles']
const LOOK_MS = 250
/** Folded while the process warms up. */
const BEGUN_BLOCKS = 20

/** Pairing and circles from a start height, while the service serves pages. */
export const foldOfBlocks =
  ({ hasRest }: { hasRest: boolean }): Rehearse =>
  (_program, isShort) => {
    const blocks = isShort ? 200 : 2_000
    const settings = { height: 20_000, fullBlocks: blocks, transactions: TRANSACTIONS, hasRest }
    return onMainnet(
      _program,
      { ...settings, isRepeated: true, mempool: 0, perSecond: 0, blockEveryMs: 0 },
      async ({ service, dataDir, address, metricsUrl }) => {
        const below = settings.height - blocks
        const look = async () => {
          const metrics = await (await fetch(metricsUrl)).text()
          const heights = FOLDS.map((fold) => figureIn(metrics, `market_${fold}_height`))
          return {
            ...readingOf(service.pid, dataDir),
            folded: Math.min(...heights) - below,
            heldMs: figureIn(metrics, LAG) * 1_000,
          }
        }
        let begun = await look()
        while (begun.folded < BEGUN_BLOCKS) {
          await delay(LOOK_MS)
          begun = await look()
        }
        const pages = new Pages(`${address}/api/market/orders?limit=50`, LOOK_MS / 5)
        let heldMs = 0
        let last = begun
        while (last.folded < blocks) {
          await delay(LOOK_MS)
          last = await look()
          heldMs = Math.max(heldMs, last.heldMs)
        }
        const rawMB = ((last.folded - begun.folded) * BLOCK_BYTES) / 1e6
        const by = hasRest ? 'REST' : 'RPC'
        const ofMB = (ms: number) => ({ figure: ms / rawMB, unit: 'ms', most: 25 })
        const held = { unit: 'ms', most: 50 }
        return [
          {
            what: `pairing and circles by ${by}, a raw MB`,
            ...ofMB(last.atMs - begun.atMs),
            before: 112,
          },
          {
            what: `processor time for it, all threads, by ${by}`,
            ...ofMB(last.cpuMs - begun.cpuMs),
          },
          { what: `event loop held meanwhile, by ${by}`, figure: heldMs, ...held, before: 427 },
          {
            what: `slowest page meanwhile, by ${by}`,
            figure: await pages.slowestMs(),
            ...held,
            before: 413,
          },
        ]
      },
      { foldedAtFirst: blocks - 1, isReadyFirst: false },
    )
  }

const LAG = 'nodejs_eventloop_lag_max_seconds'

const figureIn = (metrics: string, name: string): number =>
  Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1] ?? Number.NaN)
