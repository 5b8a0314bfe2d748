import { z } from 'zod'
import { openBitcoind } from '../../../src/adapters/bitcoind/bitcoind.ts'
import { openOrdContent } from '../../../src/adapters/ord/content.ts'
import { openOrd } from '../../../src/adapters/ord/ord.ts'
import { IndexUnavailableError } from '../../../src/ports/authorities/authority-errors.ts'
import { BlockHash, Txid } from '../../../src/schemas/scalars.ts'
import { type Core, CoreError, prepareCore, SERVICE_LOGIN } from '../services/core.ts'
import { type OrdProgram, prepareOrd } from '../services/ord.ts'
import { waitUntil } from '../services/programs.ts'
import { systemClock } from '../system-clock.ts'
import { type ChainDriver, TransactionRefusedError } from './chain-driver.ts'

/** A chain of real parts, with access to the programs themselves. */
export interface RealChain extends ChainDriver {
  readonly core: Core
  readonly ord: OrdProgram
}

export interface RealChainOptions {
  /** In addition to those that every ord of a test has. */
  ordArgs?: readonly string[]
}

/** More than any test burns. */
const MAX_BURN_BTC = 100
const Hashes = z.array(BlockHash)
const Generated = z.object({ hash: BlockHash })

/** Bitcoin Core and ord on a fresh regtest chain. */
export async function openRealChain({ ordArgs = [] }: RealChainOptions = {}): Promise<RealChain> {
  const core = await prepareCore()
  const ord = await prepareOrd({ core, args: ordArgs })
  await core.start()
  await ord.start()
  const node = openBitcoind({
    url: core.url,
    credentials: SERVICE_LOGIN,
    network: 'regtest',
    mempoolPollMs: 100,
    clock: systemClock,
  })
  const index = openOrd({ url: ord.url })
  const contents = openOrdContent({ url: ord.url })

  // Without a script of its own, a block mined in the same second on the same parent as an
  // invalidated one would be the same block. Any push but zero can be spent by anyone.
  let coinbases = 0
  const anyone = () => `04${(++coinbases).toString(16).padStart(8, '0')}`

  return {
    node,
    index,
    contents,
    core,
    ord,
    mine: async (count, script = anyone()) =>
      Hashes.parse(await core.rpc('generatetodescriptor', count, `raw(${script})`)),
    mineExactly: async (transactionsHex) =>
      Generated.parse(await core.rpc('generateblock', `raw(${anyone()})`, transactionsHex)).hash,
    submit: async (hex) => {
      try {
        return Txid.parse(await core.rpc('sendrawtransaction', hex, 0, MAX_BURN_BTC))
      } catch (error) {
        throw error instanceof CoreError ? new TransactionRefusedError(error.message) : error
      }
    },
    invalidate: async (hash) => void (await core.rpc('invalidateblock', hash)),
    reconsider: async (hash) => void (await core.rpc('reconsiderblock', hash)),
    restartNode: async () => {
      await core.stop()
      await core.start()
    },
    stopIndex: ord.stop,
    startIndex: () => ord.start(),
    freezeIndex: async () => {
      await ord.stop()
      await ord.start(['--no-sync'])
    },
    thawIndex: async () => {
      await ord.stop()
      await ord.start()
    },
    syncIndex: async () => {
      let seen = ''
      const isLevel = async () => {
        const [status, chain] = await Promise.all([
          index.status().catch(unlessMoving),
          node.chain(),
        ])
        seen = `${JSON.stringify(status)} of ${JSON.stringify(chain.tip)}`
        return status?.tip?.hash === chain.tip.hash
      }
      await waitUntil('ord stands at the tip of the node', isLevel).catch((error: unknown) => {
        throw new Error(`the index was last seen at ${seen}`, { cause: error })
      })
    },
    close: async () => {
      await Promise.all([node.close(), index.close(), contents.close()])
      await ord.close()
      await core.close()
    },
  }
}

/** A lagging index reports an error: a test that waits for it does not fail. */
function unlessMoving(error: unknown): null {
  if (error instanceof IndexUnavailableError && error.reason === 'asset_index_behind') return null
  throw error
}
