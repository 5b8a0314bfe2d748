import { GENESIS_HASH } from '../../domain/chain/genesis.ts'
import { NodeUnavailableError } from '../../ports/authorities/authority-errors.ts'
import type { Clock } from '../../runtime/clock.ts'
import { LANES, type Lane } from '../../runtime/lanes.ts'
import { Hash, type Network } from '../../schemas/scalars.ts'
import { NetworkInfo } from '../../schemas/wire/rpc.ts'
import { type CredentialSource, openCredentials } from './credentials.ts'
import { type Call, openRpc, type Rpc } from './rpc.ts'

export interface ConnectionOptions {
  url: string
  credentials: CredentialSource
  network: Network
  clock: Clock
  random: () => number
  timeoutMs: number
  /** Called for each HTTP request sent. */
  onRequest: () => void
}

/** The RPC of a node that is known to follow the right chain. */
export interface Connection extends Rpc {
  /** As `getnetworkinfo` counts it: 319900 is 31.99. */
  version(): Promise<number>
  /** These connections, for requests of another priority. */
  inLane(lane: Lane): Connection
}

/** A mempool of 700,000 txids, or 50 of the largest standard transactions. */
const MAX_RESPONSE_BYTES = 64 * 2 ** 20

/**
 * After each reconnection the node may be another one: on another network, or with other features.
 * So answers around a reconnection count only once the genesis hash has been checked.
 */
export function openConnection(options: ConnectionOptions): Connection {
  let verified: number | undefined
  let verifying: Promise<number> | undefined
  const rpc = openRpc({
    url: options.url,
    credentials: openCredentials(options.credentials),
    clock: options.clock,
    random: options.random,
    timeoutMs: options.timeoutMs,
    maxResponseBytes: MAX_RESPONSE_BYTES,
    onReconnect: () => {
      verified = undefined
    },
    onRequest: options.onRequest,
  })

  const verify = async (): Promise<number> => {
    try {
      const [genesis, { version }] = await rpc.batch((call) =>
        Promise.all([call('getblockhash', [0], Hash), call('getnetworkinfo', [], NetworkInfo)]),
      )
      expectNetwork(genesis, options.network)
      verified = version
      return version
    } finally {
      verifying = undefined
    }
  }
  const version = async (): Promise<number> => {
    if (verified !== undefined) return verified
    verifying ??= verify()
    return verifying
  }

  const inLane = (lane: Lane): Connection => {
    const batch = async <T>(fill: (call: Call) => Promise<T>): Promise<T> => {
      await version()
      const answer = await rpc.batch(fill, lane)
      await version()
      return answer
    }
    return {
      version,
      batch,
      call: (method, params, reply) => batch((call) => call(method, params, reply)),
      inLane,
      close: rpc.close,
    }
  }
  return inLane(LANES.first)
}

/** Throws `NodeUnavailableError` with both hashes when this is not the network's first block. */
export function expectNetwork(genesis: string, network: Network): void {
  const expected = GENESIS_HASH[network]
  if (genesis !== expected)
    throw new NodeUnavailableError(
      'node_wrong_network',
      `the node's genesis block is ${genesis}, but that of ${network} is ${expected}`,
    )
}
