import { move, transferableSymbol, valueSymbol } from 'piscina'
import {
  type BlockLayout,
  checkedLayout,
  FalseBlockError,
} from '../../../domain/chain/block-layout.ts'
import type { BlockHash } from '../../../schemas/scalars.ts'

// Runs in a worker thread: see block-pool.ts.

export interface BlockQuestion {
  hash: BlockHash
  bytes: Uint8Array
}

export type BlockAnswer = { bytes: Uint8Array; layout: BlockLayout } | { fault: string }

/** The bytes are transferred back to the sender. */
export function open({ hash, bytes }: BlockQuestion): BlockAnswer {
  const answer = answerTo(hash, bytes)
  if ('fault' in answer) return answer
  const { starts, inputs, firstInputs } = answer.layout
  const buffers = [bytes, starts, inputs, firstInputs].map(({ buffer }) => buffer)
  return move({ [transferableSymbol]: buffers, [valueSymbol]: answer }) as unknown as BlockAnswer
}

function answerTo(hash: BlockHash, bytes: Uint8Array): BlockAnswer {
  try {
    return { bytes, layout: checkedLayout(hash, bytes) }
  } catch (error) {
    if (error instanceof FalseBlockError || error instanceof RangeError)
      return { fault: error.message }
    throw error
  }
}
