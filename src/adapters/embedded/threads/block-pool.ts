import { extname } from 'node:path'
import { Piscina } from 'piscina'
import { checkedLayout } from '../../../domain/chain/block-layout.ts'
import { RawBlock } from '../../../domain/chain/raw-block.ts'
import { NodeUnavailableError } from '../../../ports/authorities/authority-errors.ts'
import type { BlockOpener } from '../../../ports/authorities/block-opener.ts'
import type { BlockHash } from '../../../schemas/scalars.ts'
import type { BlockAnswer, BlockQuestion } from './block-worker.ts'

/** Hashed in about a millisecond: smaller blocks use no thread. */
const SMALL_BYTES = 64 * 1024
/** A thread that is idle for this long ends; the next block starts it again. */
const IDLE_MS = 60_000

/** From sources a worker needs the loader that this thread runs on; built code needs none. */
const EXTENSION = extname(import.meta.url)
const LOADER = EXTENSION === '.ts' ? ['--import', 'tsx'] : []

/** Lays out and hashes blocks on a worker thread, which runs only while there are any. */
export function openBlockPool(): BlockOpener & { close(): Promise<void> } {
  const pool = new Piscina<BlockQuestion, BlockAnswer>({
    filename: new URL(`./block-worker${EXTENSION}`, import.meta.url).href,
    name: 'open',
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_MS,
    recordTiming: false,
    execArgv: LOADER,
  })
  const ask = async (hash: BlockHash, given: Uint8Array): Promise<RawBlock> => {
    const bytes = alone(given)
    const answer = await pool.run({ hash, bytes }, { transferList: [bytes.buffer] })
    if ('fault' in answer) throw unreadable(hash, answer.fault)
    return new RawBlock(answer.bytes, answer.layout)
  }
  return {
    open: async (hash, bytes) =>
      bytes.length <= SMALL_BYTES ? openSmall(hash, bytes) : await ask(hash, bytes),
    close: () => pool.destroy(),
  }
}

function openSmall(hash: BlockHash, bytes: Uint8Array): RawBlock {
  try {
    return new RawBlock(bytes, checkedLayout(hash, bytes))
  } catch (error) {
    throw unreadable(hash, error instanceof Error ? error.message : String(error))
  }
}

/** The bytes in a buffer of their own: only such a buffer can be transferred. */
const alone = (bytes: Uint8Array): Uint8Array<ArrayBuffer> =>
  bytes.buffer instanceof ArrayBuffer && bytes.buffer.byteLength === bytes.length
    ? new Uint8Array(bytes.buffer)
    : new Uint8Array(bytes)

const unreadable = (hash: BlockHash, fault: string): NodeUnavailableError =>
  new NodeUnavailableError('node_unavailable', `block ${hash} cannot be read: ${fault}`)
