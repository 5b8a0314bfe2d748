import { rpcAnswers } from '../../test/support/chain/recorded-answers.ts'
import type { GeneratedChain, HeaderAt } from './chain.ts'
import type { Mempool } from './mempool.ts'
import { coinOfNode, type OwnedCoin, outputOfNode } from './outputs.ts'

/** Error codes of a node: Bitcoin Core, rpc/protocol.h. */
export class RpcRefusalError extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

const METHOD_NOT_FOUND = -32_601

type Method = (params: readonly unknown[]) => unknown

const recorded = (name: string) =>
  JSON.parse(rpcAnswers[name]?.body ?? '{}') as {
    result?: Record<string, unknown>
    error?: { code: number; message: string }
  }
const CHAIN = recorded('chain').result
const NETWORK = recorded('network').result
const MEMPOOL = recorded('mempool info').result
const HEADER = recorded('header').result

/** Refuses as a real node did. */
function refuse(name: string): never {
  const { code, message } = recorded(name).error ?? { code: METHOD_NOT_FOUND, message: name }
  throw new RpcRefusalError(code, message)
}

/**
 * The methods that the service calls: answers of a real Bitcoin Core (test/fixtures/bitcoind), with
 * values of the generated chain.
 */
export function nodeMethods(
  chain: GeneratedChain,
  mempool: Mempool,
  outputs: { areAll: boolean; coin?: OwnedCoin | undefined },
): (name: string) => Method {
  const headerOf = (hash: unknown): HeaderAt => {
    return chain.of(String(hash)) ?? refuse('unknown header')
  }
  const waiting = (txid: unknown): Buffer =>
    mempool.bytesOf(String(txid)) ?? refuse('unknown transaction')
  const methods: Record<string, Method> = {
    getblockhash: ([height]) => (chain.at(Number(height)) ?? refuse('height above the tip')).hash,
    getbestblockhash: () => chain.tip.hash,
    getblockchaininfo: () => {
      const { height, hash } = chain.tip
      return {
        ...CHAIN,
        chain: 'main',
        blocks: height,
        headers: height,
        bestblockhash: hash,
        // The blocks are of another time, and a tip of mainnet that is hours old is not the chain's.
        time: Math.floor(Date.now() / 1_000),
        mediantime: chain.medianTimeAt(height),
        initialblockdownload: false,
        pruned: false,
      }
    },
    getnetworkinfo: () => NETWORK,
    getmempoolinfo: () => ({ ...MEMPOOL, size: mempool.size }),
    getrawmempool: () => ({ txids: mempool.txids, mempool_sequence: mempool.sequence }),
    getblockheader: ([hash]) => {
      const { height, prevHash, time } = headerOf(hash)
      return {
        ...HEADER,
        hash,
        height,
        confirmations: chain.tip.height - height + 1,
        time,
        mediantime: chain.medianTimeAt(height),
        previousblockhash: prevHash ?? undefined,
      }
    },
    getblock: ([hash]) => chain.block(headerOf(hash)).toString('hex'),
    getrawtransaction: ([txid]) => waiting(txid).toString('hex'),
    getmempoolentry: ([txid]) => ({ vsize: waiting(txid).length }),
    getindexinfo: () => ({ txindex: { synced: true, best_block_height: chain.tip.height } }),
    gettxout: ([txid, vout]) => {
      const { areAll, coin } = outputs
      if (coin?.outpoint === `${txid}:${vout}`) return coinOfNode(chain, coin)
      return areAll ? outputOfNode(chain, String(txid)) : null
    },
    gettxspendingprevout: ([outpoints]) => outpoints,
    estimatesmartfee: () => ({ feerate: 0.00002, blocks: 6 }),
  }
  return (name) => {
    const method = methods[name]
    if (!method) throw new RpcRefusalError(METHOD_NOT_FOUND, 'Method not found')
    return method
  }
}
