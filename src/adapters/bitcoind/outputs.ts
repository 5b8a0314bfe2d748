import { NodeUnavailableError } from '../../ports/authorities/authority-errors.ts'
import type { ChainStatus, OutputAnswer } from '../../ports/authorities/full-node.ts'
import { type BlockHash, Hash, type Outpoint, type Txid } from '../../schemas/scalars.ts'
import { MempoolInfo, SpendingPrevouts, TxOutReply } from '../../schemas/wire/rpc.ts'
import { askChain, type OnNetwork } from './blocks.ts'
import type { Connection } from './connection.ts'
import { type Call, nullOn, RPC_MISC_ERROR } from './rpc.ts'

/** The first version with -txospenderindex and the options of `gettxspendingprevout`. */
const SPENDER_INDEX_VERSION = 310_000
/** The largest output index that the node's RPC can read; no transaction has one near it. */
const MAX_RPC_VOUT = 0x7fffffff
export const OUTPUTS_PER_REQUEST = 100
const MOVING_TIP_ATTEMPTS = 5

/** `gettxout` with and without the mempool. */
export const outputAnswer = (node: Connection, outpoint: Outpoint): Promise<OutputAnswer> =>
  atOneTip(node, (call) => askOutput(call, outpoint))

/** Each output with the chain's status, all at one tip; at most `OUTPUTS_PER_REQUEST`. */
export async function outputsAtTip(
  node: Connection,
  outpoints: readonly Outpoint[],
  on: OnNetwork,
): Promise<readonly { chain: ChainStatus; output: OutputAnswer }[]> {
  for (let attempt = 0; attempt < MOVING_TIP_ATTEMPTS; attempt++) {
    const [chain, outputs, after] = await node.batch((call) =>
      Promise.all([
        askChain(call, on),
        Promise.all(outpoints.map((outpoint) => askOutput(call, outpoint))),
        call('getbestblockhash', [], Hash),
      ]),
    )
    if (chain.tip.hash === after) return outputs.map((output) => ({ chain, output }))
  }
  throw new NodeUnavailableError(
    'node_unavailable',
    'the tip kept changing while outputs were read',
  )
}

export async function outputAnswers(
  node: Connection,
  outpoints: readonly Outpoint[],
): Promise<readonly OutputAnswer[]> {
  const answers: OutputAnswer[] = []
  for (let from = 0; from < outpoints.length; from += OUTPUTS_PER_REQUEST) {
    const some = outpoints.slice(from, from + OUTPUTS_PER_REQUEST)
    const ask = (call: Call) => Promise.all(some.map((outpoint) => askOutput(call, outpoint)))
    answers.push(...(await atOneTip(node, ask)))
  }
  return answers
}

/**
 * Repeats until the tip is the same before and after: otherwise an output confirmed between two
 * `gettxout`s, the first one with the mempool, would look spent.
 */
async function atOneTip<T>(node: Connection, ask: (call: Call) => Promise<T>): Promise<T> {
  for (let attempt = 0; attempt < MOVING_TIP_ATTEMPTS; attempt++) {
    const [before, mempool, answer, after] = await node.batch((call) =>
      Promise.all([
        call('getbestblockhash', [], Hash),
        call('getmempoolinfo', [], MempoolInfo),
        ask(call),
        call('getbestblockhash', [], Hash),
      ]),
    )
    expectLoaded(mempool)
    if (before === after) return answer
  }
  throw new NodeUnavailableError(
    'node_unavailable',
    'the tip kept changing while outputs were read',
  )
}

async function askOutput(call: Call, { txid, vout }: Outpoint): Promise<OutputAnswer> {
  if (vout > MAX_RPC_VOUT) return { status: 'absent' }
  const [known, confirmed] = await Promise.all([
    call('gettxout', [txid, vout, true], TxOutReply.nullable()),
    call('gettxout', [txid, vout, false], TxOutReply.nullable()),
  ])
  const found = confirmed ?? known
  if (found === null) return { status: 'absent' }
  return {
    status: known === null ? 'spent-in-mempool' : 'unspent',
    output: { valueSats: found.value, scriptHex: found.scriptPubKey.hex },
    coinbase: found.coinbase,
    confirmations: found.confirmations,
    bestBlock: found.bestblock,
  }
}

/** The mempool transactions that spend these. */
export async function mempoolSpenders(
  node: Connection,
  outpoints: readonly Outpoint[],
): Promise<readonly (Txid | null)[]> {
  const askable = outpoints.filter(({ vout }) => vout <= MAX_RPC_VOUT)
  // The RPC refuses an empty list.
  if (askable.length === 0) return outpoints.map(() => null)
  // From 31 on the node would also search its spender index, if it has one, without this option.
  const options = (await node.version()) >= SPENDER_INDEX_VERSION ? [{ mempool_only: true }] : []
  const [mempool, spends] = await node.batch((call) =>
    Promise.all([
      call('getmempoolinfo', [], MempoolInfo),
      call('gettxspendingprevout', [askable, ...options], SpendingPrevouts),
    ]),
  )
  expectLoaded(mempool)
  const byOutpoint = new Map(
    spends.map(({ txid, vout, spendingtxid }) => [`${txid}:${vout}`, spendingtxid]),
  )
  return outpoints.map(({ txid, vout }) => byOutpoint.get(`${txid}:${vout}`) ?? null)
}

/** By -txospenderindex; null if the node has none, or if no block spends the output. */
export async function confirmedSpender(
  node: Connection,
  outpoint: Outpoint,
): Promise<{ txid: Txid; blockHash: BlockHash } | null> {
  if (outpoint.vout > MAX_RPC_VOUT) return null
  if ((await node.version()) < SPENDER_INDEX_VERSION) return null
  const spends = await node
    .call('gettxspendingprevout', [[outpoint], { mempool_only: false }], SpendingPrevouts)
    .catch(nullOn(RPC_MISC_ERROR))
  const spend = spends?.[0]
  if (spend?.spendingtxid === undefined || spend.blockhash === undefined) return null
  return { txid: spend.spendingtxid, blockHash: spend.blockhash }
}

/** A mempool still being read from disk does not show that a transaction is absent. */
export function expectLoaded({ loaded }: { loaded: boolean }): void {
  if (!loaded)
    throw new NodeUnavailableError('node_mempool_loading', 'the node is still loading its mempool')
}
