import { once } from 'node:events'
import type { AssetIndex } from '../../src/ports/authorities/asset-index.ts'
import type { FullNode, NodeChange } from '../../src/ports/authorities/full-node.ts'
import type { Call } from './wire.ts'

const NODE_METHODS = [
  'chain',
  'blockHash',
  'blockHashes',
  'header',
  'block',
  'output',
  'outputAtTip',
  'outputs',
  'mempoolSpenders',
  'confirmedSpender',
  'transaction',
  'mempool',
  'mempoolTransactions',
  'testAccept',
  'inputIsFinal',
  'feeRate',
  'minimumFeeRate',
] as const
const INDEX_METHODS = ['status', 'output', 'contents', 'inscription'] as const

type Handlers = Record<string, (...args: never[]) => unknown>

/** What the process with the node answers: each call is one request, and is counted. */
export function servedAuthorities(
  { node, index }: { node: FullNode; index: AssetIndex },
  push: (change: NodeChange | 'ended') => void,
  onRequest: () => void,
  signal: AbortSignal,
): Handlers {
  const served = (of: object, prefix: string, names: readonly string[]) =>
    names.map((name) => {
      const method = Reflect.get(of, name)
      return [
        `${prefix}.${name}`,
        (...args: never[]) => {
          onRequest()
          return Reflect.apply(method, of, args)
        },
      ] as const
    })
  const listen = async () => {
    try {
      for await (const change of node.changes(signal)) push(change)
    } finally {
      push('ended')
    }
  }
  return {
    ...Object.fromEntries([
      ...served(node, 'node', NODE_METHODS),
      ...served(index, 'index', INDEX_METHODS),
    ]),
    listen: () => void listen().catch(() => undefined),
  }
}

/** The node and the index of another process, and where to deliver their notifications. */
export function remoteAuthorities(call: Call) {
  const methods = (prefix: string, names: readonly string[]) =>
    Object.fromEntries(
      names.map((name) => [name, (...args: unknown[]) => call(`${prefix}.${name}`, ...args)]),
    )
  const pushes = new EventTarget()
  let waiting: NodeChange[] = []
  let ended = false
  async function* changes(signal: AbortSignal): AsyncGenerator<NodeChange> {
    waiting = []
    ended = false
    await call('listen')
    while (!signal.aborted) {
      const news = waiting
      waiting = []
      yield* news
      if (ended) return
      if (waiting.length === 0) await once(pushes, 'news', { signal }).catch(() => undefined)
    }
  }
  return {
    node: { ...methods('node', NODE_METHODS), changes } as unknown as FullNode,
    index: methods('index', INDEX_METHODS) as unknown as AssetIndex,
    push: (change: NodeChange | 'ended') => {
      if (change === 'ended') ended = true
      else waiting.push(change)
      pushes.dispatchEvent(new Event('news'))
    },
  }
}
