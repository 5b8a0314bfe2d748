import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { z } from 'zod'
import { runSingleRole } from '../../src/roles/single-role.ts'
import { Config } from '../../src/schemas/config/config.ts'
import { openRealChain } from '../../test/support/chain/real-chain.ts'
import { openWallet } from '../../test/support/chain/wallet.ts'
import { openMarket } from '../../test/support/market/market.ts'
import { freePort, programPath } from '../../test/support/services/programs.ts'
import type { Hook } from '../stage/hook.ts'
import { UnexpectedError } from '../stage/stage.ts'
import { World } from '../stage/world.ts'
import { pipelineVariables } from './pipelines.ts'

/** How often the miner can pay. */
const PAYMENTS = 30
const SATOSHI = /^\/Satoshi:(.*)\/$/
const NetworkInfo = z.object({ subversion: z.string() })

/** Bitcoin Core and ord on a fresh regtest chain, and the service over them. */
export async function openRealWorld(hook: Hook): Promise<World> {
  const ordProgram = installed('ORD')
  installed('BITCOIND')
  const opened: (() => Promise<void>)[] = []
  const end = async () => {
    for (const close of opened.splice(0).reverse()) await close()
  }
  const chain = await openRealChain()
  opened.push(() => chain.close())
  try {
    const { core, ord } = chain
    const miner = await openWallet(chain, PAYMENTS)
    await chain.syncIndex()
    const [portA, portB] = [String(await freePort()), String(await freePort())]
    const pipelines = pipelineVariables({ A: local(portA), B: local(portB) })
    const onCore = {
      BITCOIN_RPC_URL: core.url,
      BITCOIN_RPC_COOKIE_FILE: core.cookieFile,
      MEMPOOL_POLL_MS: '100',
    }
    const market = await openMarket({
      ...onCore,
      ...pipelines.A,
      ...hook.variables,
      PORT: portA,
      ASSET_INDEX_URL: ord.url,
    })
    opened.push(() => market.end())
    const other = await openPipeline({ ...onCore, ...pipelines.B, PORT: portB })
    const { subversion } = NetworkInfo.parse(await core.rpc('getnetworkinfo'))
    const version = execFileSync(ordProgram, ['--version'], { encoding: 'utf8' }).trim()
    return new World({
      title: 'Bitcoin Core and ord',
      parts: [
        ['full node', `Bitcoin Core ${subversion.replace(SATOSHI, '$1')} on ${core.url}, regtest`],
        ['asset index', `${version} on ${ord.url}`],
        ['service', `${market.address}/api/market, its state in a temporary folder`],
        ['pipeline B', `${local(portB)}, another store and another key`],
      ],
      chain,
      miner,
      market: {
        ...market,
        end: async () => {
          await other.end()
          await market.end()
        },
      },
      hook,
    })
  } catch (error) {
    await end()
    throw error
  }
}

const local = (port: string): string => `http://127.0.0.1:${port}`

/** Another pairing pipeline, in this process. */
async function openPipeline(variables: Record<string, string>): Promise<{ end(): Promise<void> }> {
  const directory = mkdtempSync(path.join(tmpdir(), 'market-demo-'))
  const config = Config.parse({
    ...variables,
    DATA_DIR: directory,
    METRICS_PORT: '0',
    LOG_LEVEL: 'silent',
  })
  const running = await runSingleRole({ ...config, ROLE: 'pairing' })
  return {
    end: async () => {
      await running.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** Where a program is; a missing one is reported with the fix. */
function installed(name: 'BITCOIND' | 'ORD'): string {
  try {
    return programPath(name)
  } catch (error) {
    throw new UnexpectedError(error instanceof Error ? error.message : String(error))
  }
}
