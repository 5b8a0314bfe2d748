import { execFileSync } from 'node:child_process'
import { z } from 'zod'
import { openMarket } from '../../test/support/market.ts'
import { freePort, programPath } from '../../test/support/programs.ts'
import { openRealChain } from '../../test/support/real-chain.ts'
import { openWallet } from '../../test/support/wallet.ts'
import { Unexpected } from '../stage.ts'
import { World } from '../world.ts'

/** How often the miner can pay. */
const PAYMENTS = 30
const SATOSHI = /^\/Satoshi:(.*)\/$/
const NetworkInfo = z.object({ subversion: z.string() })

/** Bitcoin Core and ord on a fresh regtest chain, and the service over them. */
export async function openRealWorld(): Promise<World> {
  const ordProgram = installed('ORD')
  installed('BITCOIND')
  const chain = await openRealChain()
  try {
    const { core, ord } = chain
    const miner = await openWallet(chain, PAYMENTS)
    await chain.syncIndex()
    const market = await openMarket({
      PORT: String(await freePort()),
      BITCOIN_RPC_URL: core.url,
      BITCOIN_RPC_COOKIE_FILE: core.cookieFile,
      ASSET_INDEX_URL: ord.url,
      MEMPOOL_POLL_MS: '100',
    })
    const { subversion } = NetworkInfo.parse(await core.rpc('getnetworkinfo'))
    const version = execFileSync(ordProgram, ['--version'], { encoding: 'utf8' }).trim()
    return new World({
      title: 'Bitcoin Core and ord',
      parts: [
        ['full node', `Bitcoin Core ${subversion.replace(SATOSHI, '$1')} on ${core.url}, regtest`],
        ['asset index', `${version} on ${ord.url}`],
        ['service', `${market.address}/api/market, its state in a temporary folder`],
      ],
      chain,
      miner,
      market,
    })
  } catch (error) {
    await chain.close()
    throw error
  }
}

/** Where a program is; a missing one is told with its cure. */
function installed(name: 'BITCOIND' | 'ORD'): string {
  try {
    return programPath(name)
  } catch (error) {
    throw new Unexpected(error instanceof Error ? error.message : String(error))
  }
}
