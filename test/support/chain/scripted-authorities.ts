import { Transaction } from 'bitcoinjs-lib'
import type {
  AssetIndex,
  IndexStatus,
  OutputAssets,
  OutputContents,
} from '../../../src/ports/authorities/asset-index.ts'
import type {
  ChainStatus,
  FoundTransaction,
  FullNode,
  Header,
  OutputAnswer,
} from '../../../src/ports/authorities/full-node.ts'
import type {
  SignatureAnswer,
  SignatureQuestion,
} from '../../../src/ports/authorities/signature-checker.ts'
import type { BlockHash, BlockRef, Outpoint, Txid, TxOut } from '../../../src/schemas/scalars.ts'
import { toTxid } from '../ids.ts'
import { blockAt, MEDIAN_TIME, PREVOUT, TIP_HEIGHT } from '../orders/evidence.ts'

// Authorities that answer as a test scripts them, for what no real one does on demand: races,
// missing indexes, answers that contradict each other.

const unasked = (name: string) => async (): Promise<never> => {
  throw new Error(`unexpected call of ${name}`)
}

/** A node at the tip of one chain that knows nothing except what a test adds. */
export function nodeWith(answers: Partial<FullNode> = {}): FullNode {
  const node: FullNode = {
    chain: async () => chainStatus(),
    blockHash: async (height) => (height <= TIP_HEIGHT ? blockAt(height).hash : null),
    blockHashes: async (heights) =>
      heights.map((height) => (height <= TIP_HEIGHT ? blockAt(height).hash : null)),
    header: async (hash) => headerOf(hash),
    rawHeaders: unasked('headers'),
    merkleProof: unasked('a Merkle proof'),
    block: unasked('a block'),
    output: async () => ({ status: 'absent' }),
    outputs: unasked('several outputs'),
    mempoolSpenders: async (outpoints) => outpoints.map(() => null),
    confirmedSpender: async () => null,
    transaction: async () => null,
    mempool: unasked('the mempool'),
    mempoolTransactions: unasked('mempool transactions'),
    testAccept: unasked('testmempoolaccept'),
    inputIsFinal: unasked('analyzepsbt'),
    feeRate: unasked('a fee rate'),
    feeEstimates: unasked('estimates of fee rates'),
    minimumFeeRate: unasked('the least fee rate'),
    changes: () => {
      throw new Error('unexpected subscription to this node')
    },
    outputAtTip: async (outpoint) => {
      const [chain, output] = await Promise.all([node.chain(), node.output(outpoint)])
      return { chain, output }
    },
    ...answers,
  }
  return node
}

export const chainStatus = (changes: Partial<ChainStatus> = {}): ChainStatus => ({
  network: 'regtest',
  tip: { ...blockAt(TIP_HEIGHT), medianTime: MEDIAN_TIME, time: MEDIAN_TIME },
  initialBlockDownload: false,
  mempoolLoaded: true,
  prunedBelow: 0,
  version: 'scripted',
  ...changes,
})

/** Blocks of the branch `main` are on the best chain, those of any other are stale. */
export function headerOf(hash: BlockHash): Header | null {
  for (const branch of ['main', 'stale']) {
    for (let height = 0; height <= TIP_HEIGHT; height += 1) {
      if (blockAt(height, branch).hash !== hash) continue
      const time = MEDIAN_TIME + height
      return {
        height,
        hash,
        prevHash: height === 0 ? null : blockAt(height - 1, branch).hash,
        time,
        medianTime: time - 3_600,
        onBestChain: branch === 'main',
      }
    }
  }
  return null
}

export const unspentAnswer = (
  changes: Partial<Extract<OutputAnswer, { status: 'unspent' }>> = {},
): OutputAnswer => ({
  status: 'unspent',
  output: PREVOUT,
  coinbase: false,
  confirmations: 101,
  bestBlock: blockAt(TIP_HEIGHT).hash,
  ...changes,
})

/** These answers in turn, then the last one forever. */
export function inTurn<T>(...answers: T[]): () => Promise<T> {
  let turn = 0
  return async () => {
    const answer = answers[Math.min(turn, answers.length - 1)]
    turn += 1
    if (answer === undefined) throw new Error('no answers')
    if (answer instanceof Error) throw answer
    return answer
  }
}

/** A transaction that spends these and creates these. */
export function transactionOf(spends: readonly Outpoint[], makes: readonly TxOut[]) {
  const transaction = new Transaction()
  for (const { txid, vout } of spends) {
    transaction.addInput(Buffer.from(txid, 'hex').reverse(), vout)
  }
  for (const { scriptHex, valueSats } of makes) {
    transaction.addOutput(Buffer.from(scriptHex, 'hex'), BigInt(valueSats))
  }
  return { txid: toTxid(transaction.getId()), hex: transaction.toHex() }
}

export const foundIn = (
  transaction: { txid: Txid; hex: string },
  block: BlockRef | null,
): FoundTransaction => ({ ...transaction, blockHash: block?.hash ?? null })

export const indexStatus = (changes: Partial<IndexStatus> = {}): IndexStatus => ({
  tip: blockAt(TIP_HEIGHT),
  version: 'ord 1',
  build: 'synced once',
  unrecoverablyReorged: false,
  runes: true,
  ...changes,
})

export const assetsOf = (changes: Partial<OutputAssets> = {}): OutputAssets => ({
  indexed: true,
  spent: false,
  inscriptions: [],
  runes: [],
  ...changes,
})

export const contentsOf = (changes: Partial<OutputContents> = {}): OutputContents => ({
  indexed: true,
  spent: false,
  inscriptionIds: [],
  runes: [],
  ...changes,
})

export const indexWith = (answers: Partial<AssetIndex> = {}): AssetIndex => ({
  status: async () => indexStatus(),
  output: async () => assetsOf(),
  contents: async (outpoints) => outpoints.map(() => contentsOf()),
  inscription: unasked('an inscription'),
  outputsOf: unasked('an address'),
  ...answers,
})

/** Signature checks with scripted results, and the requests so far. */
export function checkerWith(answer: (question: SignatureQuestion) => SignatureAnswer) {
  const asked: SignatureQuestion[] = []
  return {
    asked,
    check: async (question: SignatureQuestion) => {
      asked.push(question)
      return answer(question)
    },
    close: async () => {},
  }
}
