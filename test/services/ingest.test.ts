import { openBitcoind } from '../../src/adapters/bitcoind/bitcoind.ts'
import { ingestContract } from '../contracts/ingest.ts'
import type { ChainDriver } from '../support/chain/chain-driver.ts'
import { openRealChain } from '../support/chain/real-chain.ts'
import { freePort } from '../support/services/programs.ts'
import { systemClock } from '../support/system-clock.ts'

ingestContract('Bitcoin Core, polled, and ord', openRealChain)
ingestContract('Bitcoin Core, pushing by ZMQ, and ord', openPushingChain)

async function openPushingChain(): Promise<ChainDriver> {
  const chain = await openRealChain()
  const { core } = chain
  const zmqUrl = `tcp://127.0.0.1:${await freePort()}`
  const restartNode = async () => {
    await core.stop()
    await core.start([`-zmqpubsequence=${zmqUrl}`, `-zmqpubrawtx=${zmqUrl}`])
  }
  await restartNode()
  const node = openBitcoind({
    url: core.url,
    credentials: { cookieFile: core.cookieFile },
    network: 'regtest',
    zmqUrls: [zmqUrl],
    clock: systemClock,
  })
  const close = async () => {
    await node.close()
    await chain.close()
  }
  return { ...chain, node, restartNode, close }
}
