import type { AcceptAnswer, Transaction, TxidList } from '../../ports/authorities/full-node.ts'
import { Hex, type Txid } from '../../schemas/scalars.ts'
import {
  FeeEstimate,
  MempoolAccept,
  MempoolEntry,
  MempoolFees,
  MempoolInfo,
  PsbtAnalysis,
  RawMempool,
} from '../../schemas/wire/rpc.ts'
import { readTransaction } from './block-body.ts'
import type { Connection } from './connection.ts'
import { expectLoaded } from './outputs.ts'
import { nullOn, RPC_DESERIALIZATION_ERROR, RPC_INVALID_ADDRESS_OR_KEY, RpcError } from './rpc.ts'
import { TxidText } from './txid-text.ts'

const TRANSACTIONS_PER_REQUEST = 50
const FEE_TARGET_BLOCKS = 6

/** The list and its sequence number are one answer of the node: nothing falls between them. */
export async function mempool(node: Connection): Promise<{ txids: TxidList; sequence: number }> {
  const [info, list] = await node.batch((call) =>
    Promise.all([
      call('getmempoolinfo', [], MempoolInfo),
      call('getrawmempool', [false, true], RawMempool),
    ]),
  )
  expectLoaded(info)
  const { txids, mempool_sequence: sequence } = list
  return {
    txids:
      txids instanceof Uint8Array
        ? new TxidText(Buffer.from(txids.buffer, txids.byteOffset, txids.length))
        : txids,
    sequence,
  }
}

export async function mempoolTransactions(
  node: Connection,
  txids: readonly Txid[],
): Promise<ReadonlyMap<string, Transaction>> {
  const found = new Map<string, Transaction>()
  for (let from = 0; from < txids.length; from += TRANSACTIONS_PER_REQUEST) {
    const some = txids.slice(from, from + TRANSACTIONS_PER_REQUEST)
    for (const transaction of await mempoolBatch(node, some))
      found.set(transaction.txid, transaction)
  }
  return found
}

/** With a transaction index the node also returns mined ones: those have no mempool entry. */
async function mempoolBatch(node: Connection, txids: readonly Txid[]): Promise<Transaction[]> {
  const absent = nullOn(RPC_INVALID_ADDRESS_OR_KEY)
  const [bodies, entries] = await node.batch((call) =>
    Promise.all([
      Promise.all(txids.map((txid) => call('getrawtransaction', [txid, 0], Hex).catch(absent))),
      Promise.all(txids.map((txid) => call('getmempoolentry', [txid], MempoolEntry).catch(absent))),
    ]),
  )
  return txids.flatMap((txid, i) => {
    const hex = bodies[i] ?? null
    return hex === null || entries[i] == null ? [] : [{ txid, hex }]
  })
}

/**
 * By `testmempoolaccept`, one at a time: the node would test several as a package, which forbids
 * replacement. A transaction that the node cannot decode is refused in the node's words.
 */
export async function testAccept(
  node: Connection,
  transactionsHex: readonly string[],
): Promise<readonly AcceptAnswer[]> {
  const [info, ...answers] = await node.batch((call) =>
    Promise.all([
      call('getmempoolinfo', [], MempoolInfo),
      ...transactionsHex.map((hex) =>
        call('testmempoolaccept', [[hex]], MempoolAccept).then(acceptAnswer, undecodable(hex)),
      ),
    ]),
  )
  expectLoaded(info)
  return answers
}

const acceptAnswer = ([answer]: MempoolAccept): AcceptAnswer => ({
  txid: answer.txid,
  allowed: answer.allowed,
  vsize: answer.vsize ?? null,
  feesSats: answer.fees?.base ?? null,
  rejectReason: answer['reject-reason'] ?? null,
})

const undecodable =
  (hex: string) =>
  (error: unknown): AcceptAnswer => {
    if (!(error instanceof RpcError) || error.code !== RPC_DESERIALIZATION_ERROR) throw error
    return {
      txid: txidOf(hex),
      allowed: false,
      vsize: null,
      feesSats: null,
      rejectReason: 'TX decode failed',
    }
  }

/** Empty for bytes that are not a transaction. */
function txidOf(hex: string): Txid | '' {
  try {
    return readTransaction(Buffer.from(hex, 'hex')).txid
  } catch {
    return ''
  }
}

/** `analyzepsbt` runs the script of a final input; a PSBT that the node refuses is not final. */
export async function inputIsFinal(
  node: Connection,
  psbtBase64: string,
  index: number,
): Promise<boolean> {
  const analysis = await node
    .call('analyzepsbt', [psbtBase64], PsbtAnalysis)
    .catch(nullOn(RPC_DESERIALIZATION_ERROR))
  return analysis?.inputs?.[index]?.is_final ?? false
}

/** sat/vB: the node's estimate if it has one, never below its mempool's current minimum. */
export async function feeRate(node: Connection): Promise<string> {
  const [estimate, floor] = await node.batch((call) =>
    Promise.all([
      call('estimatesmartfee', [FEE_TARGET_BLOCKS], FeeEstimate),
      call('getmempoolinfo', [], MempoolFees),
    ]),
  )
  const satsPerKvb = Math.max(
    Number(estimate.feerate ?? 0),
    Number(floor.mempoolminfee),
    Number(floor.minrelaytxfee),
  )
  // Whole sats per kvB: at most three decimals per vbyte, which a float of this size prints
  // exactly.
  return (satsPerKvb / 1000).toString()
}

/** sat/vB for each number of blocks, never below the mempool's current minimum; null: no estimate. */
export async function feeEstimates(
  node: Connection,
  blocks: readonly number[],
): Promise<readonly (string | null)[]> {
  const [floor, estimates] = await node.batch((call) =>
    Promise.all([
      call('getmempoolinfo', [], MempoolFees),
      Promise.all(blocks.map((target) => call('estimatesmartfee', [target], FeeEstimate))),
    ]),
  )
  const minimum = Math.max(Number(floor.mempoolminfee), Number(floor.minrelaytxfee))
  return estimates.map(({ feerate }) =>
    feerate === undefined ? null : (Math.max(Number(feerate), minimum) / 1000).toString(),
  )
}

/** sat/vB: the mempool's current minimum. */
export async function minimumFeeRate(node: Connection): Promise<string> {
  const floor = await node.call('getmempoolinfo', [], MempoolFees)
  return (Math.max(Number(floor.mempoolminfee), Number(floor.minrelaytxfee)) / 1000).toString()
}
