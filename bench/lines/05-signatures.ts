import * as bitcoinerlab from '@bitcoinerlab/secp256k1'
import { openSignaturePool } from '../../src/adapters/embedded/threads/signature-pool.ts'
import {
  judgeSignature,
  type SignatureAnswer,
  type SignatureQuestion,
} from '../../src/domain/verdict/signatures.ts'
import type { ImportCommand } from '../../src/schemas/log.ts'
import { toTxid } from '../../test/support/ids.ts'
import { importOf } from '../../test/support/orders/big-book.ts'
import { dice } from '../../test/support/orders/order-book.ts'
import { compare, type Line, type LineContext } from '../harness/line.ts'
import { watchLoopDelay } from '../harness/loop-delay.ts'
import { timed } from '../harness/processor-time.ts'
import type { Comparison, Sample } from '../harness/results.ts'

const THREADS = [1, 2]
/** As many as a verifier has in flight in its partitions. */
const IN_FLIGHT = 64
/** Half of them taproot, half P2WPKH. */
const KINDS_OF_SELLERS = 50
const LOOP_P99_MS = 20
/** The peer is slower, and all its checks take the same time. */
const PEER_SHARE = 0.1

export const line: Line = {
  number: 5,
  name: 'signatures',
  work: 'signature checks of asks on worker threads, from the text of the PSBT to the verdict',
  peer: 'the same with `@bitcoinerlab/secp256k1` on the main thread',
  run: async (context) => {
    const questions = questionsOf(context.isQuick ? 500 : 5_000)
    const comparisons: Comparison[] = []
    for (const threads of THREADS) {
      context.progress(`${threads} threads`)
      comparisons.push(await withThreads(threads, questions, context))
    }
    return comparisons
  },
}

async function withThreads(
  threads: number,
  questions: readonly SignatureQuestion[],
  { rounds }: LineContext,
): Promise<Comparison> {
  const pool = openSignaturePool({ threads })
  const some = questions.slice(0, questions.length * PEER_SHARE)
  const delay = watchLoopDelay()
  try {
    return await compare(
      {
        name: `${threads} ${threads === 1 ? 'thread' : 'threads'}`,
        sizes: `${questions.length} asks, ${IN_FLIGHT} in flight; peer ${some.length}`,
        unit: 'checks/s',
        ratio: 'ours/peer',
        target: threads === 1 ? { atLeast: 5 } : null,
        beside: {
          'event loop p99 while saturated, ms': { target: { atMost: LOOP_P99_MS }, guard: null },
        },
        rounds,
      },
      async () => {
        delay.read()
        const sample = await checked(questions, IN_FLIGHT, (question) => pool.check(question))
        return { ...sample, beside: { 'event loop p99 while saturated, ms': delay.read().p99Ms } }
      },
      () => checked(some, 1, (question) => judgeSignature(question, bitcoinerlab)),
    )
  } finally {
    await pool.close()
  }
}

async function checked(
  questions: readonly SignatureQuestion[],
  inFlight: number,
  check: (question: SignatureQuestion) => SignatureAnswer | Promise<SignatureAnswer>,
): Promise<Sample> {
  const waiting = questions.values()
  const work = async () => {
    for (const question of waiting) {
      const { status } = await check(question)
      if (status !== 'valid') throw new Error(`a valid signature was judged ${status}`)
    }
  }
  const { ms, cpuUs } = await timed(() => Promise.all(Array.from({ length: inFlight }, work)))
  return { figure: questions.length / (ms / 1_000), cpuUs: cpuUs / questions.length }
}

function questionsOf(asks: number): SignatureQuestion[] {
  const random = dice(5)
  return Array.from({ length: asks }, (_, at) => {
    const outpoint = { txid: toTxid(random.hex(32)), vout: 0 }
    const { value } = importOf({ outpoint, seller: at % KINDS_OF_SELLERS }, at, 1)
    const { artifact, claimedPrevout } = (value as ImportCommand).claim
    return { psbt: artifact, inputIndex: 0, prevouts: [claimedPrevout] }
  })
}
