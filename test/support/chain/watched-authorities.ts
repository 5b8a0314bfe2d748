import type { AssetIndex } from '../../../src/ports/authorities/asset-index.ts'
import type { Block, FullNode, NodeChange } from '../../../src/ports/authorities/full-node.ts'

export interface Watched {
  node: FullNode
  index: AssetIndex
  /** Calls to both so far. */
  requests(): number
  /** From now on followers of the chain and the mempool are not notified of this transaction. */
  hide(txid: string): void
}

/** A node and an index whose calls are counted, and which can hide a transaction. */
export function watchAuthorities(authorities: { node: FullNode; index: AssetIndex }): Watched {
  let requests = 0
  const hidden = new Set<string>()
  const counted = <T extends object>(of: T): T =>
    new Proxy(of, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => {
          if (name !== 'changes') requests += 1
          return Reflect.apply(value, target, args)
        }
      },
    })
  const { node, index } = { node: counted(authorities.node), index: counted(authorities.index) }
  const isShown = ({ txid }: { txid: string }) => !hidden.has(txid)
  const told: Pick<FullNode, 'block' | 'mempool' | 'changes'> = {
    block: async (hash) => shown(await node.block(hash), isShown),
    mempool: async () => {
      const { txids, sequence } = await node.mempool()
      return { txids: [...txids].filter((txid) => !hidden.has(txid)), sequence }
    },
    changes: async function* (signal) {
      for await (const change of node.changes(signal))
        if (!isTransaction(change) || isShown(change)) yield change
    },
  }
  return {
    node: new Proxy(node, { get: (of, name) => Reflect.get(name in told ? told : of, name) }),
    index,
    requests: () => requests,
    hide: (txid) => hidden.add(txid),
  }
}

const isTransaction = (change: NodeChange): change is NodeChange & { txid: string } =>
  'txid' in change

const shown = (
  block: Block | null,
  isShown: (transaction: { txid: string }) => boolean,
): Block | null => block && { ...block, transactions: block.transactions.filter(isShown) }
