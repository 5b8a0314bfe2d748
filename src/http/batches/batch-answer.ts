import { setMaxListeners } from 'node:events'
import { Readable } from 'node:stream'
import PQueue from 'p-queue'

/** Lines of a batch in progress at once; */
const OF_ONE = 16
/** and of all batches of a gateway. */
const OF_ALL = 32

export interface BatchRun {
  lines: readonly Buffer[]
  /** The answer to a line, by its number from 0; never rejects. */
  answer: (line: Buffer, index: number) => Promise<string>
  /** Counts an answer that waits for its reader; returns the function that ends that. */
  hold: (bytes: number) => () => void
  /** Aborts when the client has left. */
  signal: AbortSignal
}

/** Works on the lines of many batches at a time, some of each. */
export class BatchWorker {
  readonly #all = new PQueue({ concurrency: OF_ALL })

  /** The answers in the order of the lines, each as soon as it and all before it are there. */
  run(run: BatchRun): Readable {
    // Lines in progress, and answers that wait.
    setMaxListeners(0, run.signal)
    return Readable.from(this.#answers(run), { objectMode: false })
  }

  /** Begins at once, whether it is read or not: what waits is bounded by the batch. */
  #answers({ lines, answer, hold, signal }: BatchRun): AsyncGenerator<string> {
    const own = new PQueue({ concurrency: OF_ONE })
    const begun = lines.map((line, index) =>
      own.add(async () => {
        // The client of the batch has left: the rest of it is not wanted.
        const answered = await this.#all.add(async () =>
          signal.aborted ? null : await answer(line, index),
        )
        if (answered === null || signal.aborted) return { text: '', release: () => {} }
        const text = `${answered}\n`
        return { text, release: untilAbort(hold(Buffer.byteLength(text)), signal) }
      }),
    )
    return inOrder(begun)
  }
}

/** Runs `release` once: when the answer was sent, or at an abort, after which no more is read. */
function untilAbort(release: () => void, signal: AbortSignal): () => void {
  let isHeld = true
  const end = () => {
    if (!isHeld) return
    isHeld = false
    signal.removeEventListener('abort', end)
    release()
  }
  signal.addEventListener('abort', end)
  return end
}

async function* inOrder(
  begun: readonly Promise<{ text: string; release: () => void }>[],
): AsyncGenerator<string> {
  for (const one of begun) {
    const { text, release } = await one
    yield text
    release()
  }
}
