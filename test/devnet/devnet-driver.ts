import { type Devnet, openDevnet } from '../../src/devnet/devnet.ts'
import { TransactionRefusedError as Refused } from '../../src/devnet/node/regtest-node.ts'
import { type ChainDriver, TransactionRefusedError } from '../support/chain/chain-driver.ts'
import { toBlockHash } from '../support/ids.ts'
import { systemClock } from '../support/system-clock.ts'

/** A script that anyone can spend: coinbases of these tests are the wallet's only on purpose. */
const ANYONE = '51'

/**
 * The devnet as the driver of the contract suites, with the devnet itself for what they do not do.
 */
export interface DevnetDriver extends ChainDriver {
  readonly devnet: Devnet
}

export async function openDevnetDriver(): Promise<DevnetDriver> {
  const devnet = openDevnet({
    dataDir: null,
    clock: systemClock,
    network: 'regtest',
    initialBlocks: 0,
  })
  return {
    devnet,
    node: devnet.node,
    index: devnet.index,
    contents: devnet.index,
    mine: async (count, coinbaseScriptHex = ANYONE) => devnet.mine(count, { coinbaseScriptHex }),
    mineExactly: async (transactions) => {
      const [hash] = devnet.mine(1, { transactions, coinbaseScriptHex: ANYONE })
      if (hash === undefined) throw new Error('no block was mined')
      return hash
    },
    submit: async (hex) => {
      try {
        return devnet.submit(hex)
      } catch (error) {
        throw error instanceof Refused ? new TransactionRefusedError(error.reason) : error
      }
    },
    invalidate: async (hash) => devnet.invalidate(toBlockHash(hash)),
    reconsider: async (hash) => devnet.reconsider(toBlockHash(hash)),
    restartNode: async () => {
      devnet.stopNode()
      devnet.startNode()
    },
    stopIndex: async () => devnet.stopIndex(),
    startIndex: async () => devnet.startIndex(),
    freezeIndex: async () => {
      const { tip } = await devnet.index.status()
      devnet.holdIndex(tip?.height ?? 0)
    },
    thawIndex: async () => devnet.holdIndex(null),
    syncIndex: async () => undefined,
    close: () => devnet.close(),
  }
}
