import { LRUCache } from 'lru-cache'
import type { NodeChange } from '../../ports/authorities/full-node.ts'
import type { BlockHash, Txid } from '../../schemas/scalars.ts'
import { readTransaction } from './block-body.ts'

/** Topics that are read; others on the same endpoint are ignored. */
export const ZMQ_TOPICS = ['sequence', 'rawtx'] as const

const COUNTER_BYTES = 4
const HASH_BYTES = 32
const MEMPOOL_SEQUENCE_BYTES = 8
const U32 = 2 ** 32
/** A transaction comes right before its `A`, unless the topics have separate endpoints. */
const MAX_TRANSACTIONS = 1_000
const MAX_HEX_LENGTH = 16 * 2 ** 20

/**
 * Turns the messages of one node into changes (Bitcoin Core, doc/zmq.md): topic, body and a counter
 * of 32 bits, little endian, that grows by one with each message of its topic and restarts with the
 * node. On `sequence`, a counter that does not follow its predecessor is a gap, reported before the
 * message itself; so is the first message, since what preceded it is unknown. A lost `rawtx` costs
 * only the body, which can be requested: its counter says nothing that `sequence` does not.
 */
export function createZmqDecoder(): (frames: readonly Buffer[]) => NodeChange[] {
  let last: number | undefined
  const bodies = new LRUCache<string, string>({
    max: MAX_TRANSACTIONS,
    maxSize: MAX_HEX_LENGTH,
    sizeCalculation: (hex) => hex.length,
  })

  const gapBefore = (counter: number): NodeChange[] => {
    const previous = last
    last = counter
    if (previous === undefined) return [gap(`message ${counter} is the first`)]
    if (counter === (previous + 1) % U32) return []
    return [gap(`message ${counter} came after ${previous}`)]
  }

  return ([topicFrame, body, counterFrame]) => {
    const topic = topicFrame?.toString('latin1')
    if (topic === 'rawtx' && body !== undefined) remember(body, bodies)
    if (topic !== 'sequence') return []
    if (body === undefined || counterFrame?.length !== COUNTER_BYTES)
      return [gap('a message without body or counter')]
    return [...gapBefore(counterFrame.readUInt32LE()), sequenceChange(body, bodies)]
  }
}

const gap = (detail: string): NodeChange => ({ kind: 'gap', detail: `zmq sequence: ${detail}` })

function remember(body: Buffer, bodies: LRUCache<string, string>): void {
  try {
    const { txid, hex } = readTransaction(body)
    bodies.set(txid, hex)
  } catch (error) {
    // Not a transaction: its `A` then comes without a body, which is requested from the node.
    if (!(error instanceof RangeError)) throw error
  }
}

/** Hash in display order, a label, and for the mempool's labels its sequence as u64 little endian. */
function sequenceChange(body: Buffer, bodies: LRUCache<string, string>): NodeChange {
  const hash = body.subarray(0, HASH_BYTES).toString('hex')
  const label = body.subarray(HASH_BYTES, HASH_BYTES + 1).toString('latin1')
  const number = body.subarray(HASH_BYTES + 1)
  if (number.length === 0 && label === 'C') return { kind: 'connected', hash: hash as BlockHash }
  if (number.length === 0 && label === 'D') return { kind: 'disconnected', hash: hash as BlockHash }
  if (number.length === MEMPOOL_SEQUENCE_BYTES && (label === 'A' || label === 'R')) {
    const mempoolSequence = Number(number.readBigUInt64LE())
    const txid = hash as Txid
    if (label === 'R') return { kind: 'removed', txid, mempoolSequence }
    const hex = bodies.get(txid) ?? null
    bodies.delete(txid)
    return { kind: 'added', txid, mempoolSequence, hex }
  }
  return gap(`a body of ${body.length} bytes labelled ${JSON.stringify(label)}`)
}
