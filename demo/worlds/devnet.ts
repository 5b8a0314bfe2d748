import { openDevnetDriver } from '../../test/devnet/devnet-driver.ts'
import { openWallet } from '../../test/support/chain/wallet.ts'
import { openMarket } from '../../test/support/market/market.ts'
import { freePort } from '../../test/support/services/programs.ts'
import type { Hook } from '../stage/hook.ts'
import { World } from '../stage/world.ts'

/** How often the miner can pay. */
const PAYMENTS = 30

/** The built-in regtest node and index, and the service over them; nothing is installed or kept. */
export async function openDevnetWorld(hook: Hook): Promise<World> {
  const chain = await openDevnetDriver()
  const miner = await openWallet(chain, PAYMENTS)
  const { node, index } = chain
  const market = await openMarket(
    { ...hook.variables, PORT: String(await freePort()) },
    { authorities: { node, blocks: node, index, devnet: null } },
  )
  return new World({
    title: 'the built-in devnet',
    parts: [
      ['full node', 'devnet: a small regtest node in this process'],
      ['asset index', 'devnet'],
      ['service', `${market.address}/api/market, its state in a temporary folder`],
    ],
    chain,
    miner,
    market,
    hook,
  })
}
