import { Worker } from 'node:worker_threads'
import type { SeedOptions, SeedResult } from './run-seed.ts'

const YOUNG_MB = 192
/** A seed that hangs is a defect of its own. */
const PATIENCE_MS = 300_000

type Answer = { result: SeedResult } | { error: string }

/**
 * Threads that run seeds, one after another: the engine is fastest only after a dozen. A thread
 * that dies or hangs fails its seed.
 */
export class SeedThreads {
  readonly #program: string
  readonly #idle: Worker[] = []
  readonly #all: Worker[] = []

  constructor(program: string) {
    this.#program = program
  }

  async run(options: SeedOptions): Promise<SeedResult> {
    const worker = this.#idle.pop() ?? this.#start()
    const answer = await answerOf(worker, options)
    this.#idle.push(worker)
    if ('error' in answer) throw new Error(`seed ${options.seed}: ${answer.error}`)
    return answer.result
  }

  /** A number of seeds in parallel, in the order in which they end, until `onResult` stops it. */
  async runAll(
    seeds: Iterable<number>,
    { threads, ...life }: { threads: number } & Omit<SeedOptions, 'seed'>,
    onResult: (result: SeedResult) => boolean,
  ): Promise<void> {
    const next = seeds[Symbol.iterator]()
    let isOver = false
    const work = async () => {
      for (let seed = next.next(); !isOver && !seed.done; seed = next.next()) {
        if (!onResult(await this.run({ seed: seed.value, ...life }))) isOver = true
      }
    }
    await Promise.all(Array.from({ length: threads }, work))
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((worker) => worker.terminate()))
  }

  #start(): Worker {
    const worker = new Worker(this.#program, {
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    })
    this.#all.push(worker)
    return worker
  }
}

function answerOf(worker: Worker, options: SeedOptions): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { seed } = options
    const failed = (error: Error) => end(() => reject(error))
    const exited = (code: number) => failed(new Error(`seed ${seed} ended its thread with ${code}`))
    const answered = (answer: Answer) => end(() => resolve(answer))
    const late = setTimeout(
      () => failed(new Error(`seed ${seed} has not ended within ${PATIENCE_MS} ms`)),
      PATIENCE_MS,
    )
    const end = (then: () => void) => {
      clearTimeout(late)
      worker.off('message', answered).off('error', failed).off('exit', exited)
      then()
    }
    worker.on('message', answered).on('error', failed).on('exit', exited)
    worker.postMessage(options)
  })
}
