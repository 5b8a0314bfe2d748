import { execute, finish } from './execute.ts'
import { copyOf, futures, type Machine, type Run, sized, withChoice, workOfCopy } from './run.ts'
import { EMPTY } from './script-value.ts'
import { CHECK_WEIGHT } from './signature-ops.ts'

export type FoundRun =
  /** The items from the bottom up, and their bytes in a witness. */
  | { status: 'found'; items: Uint8Array[]; cost: number }
  | { status: 'none' }
  | { status: 'beyond-bound' }

const START: Run = {
  at: 0,
  stack: [],
  alt: [],
  branches: [],
  taken: [],
  separator: 0,
  cost: 0,
  signatures: 0,
  operations: 0,
}

/**
 * The cheapest witness with at least one signature that satisfies the script: runs are continued in
 * the order of their bytes so far, each until it must choose an item, so the first that ends is the
 * cheapest. Of runs with the same future only one is continued.
 */
export function cheapestRun(machine: Machine, stack: Uint8Array[] = []): FoundRun {
  const queue: Run[] = [{ ...START, stack }]
  const seen = new Set<string>()
  const futureOf = futures()
  const given = bytesOfAll(stack) + machine.overhead
  for (let run = queue.pop(); run; run = queue.pop()) {
    const future = futureOf(run)
    if (seen.has(future)) continue
    seen.add(future)
    const ended = continueRun(run, machine)
    if (ended === 'beyond-bound') return { status: 'beyond-bound' }
    if (Array.isArray(ended)) for (const next of ended) enqueue(queue, next)
    else if (ended && isEnough(ended, machine, given)) {
      const items = ended.taken.map((item) => item ?? EMPTY).toReversed()
      return { status: 'found', items, cost: bytesOfAll(items) }
    }
  }
  return { status: 'none' }
}

/**
 * Does a run of these items alone end without a check of a signature? `failed`: it does not end, or
 * what it would need is not followed.
 */
export function endOfRun(
  machine: Machine,
  stack: Uint8Array[],
): 'signed' | 'unsigned' | 'failed' | 'beyond-bound' {
  const ended = continueRun({ ...START, stack }, machine)
  if (ended === 'beyond-bound') return ended
  if (ended === null || Array.isArray(ended)) return 'failed'
  return ended.signatures === 0 ? 'unsigned' : 'signed'
}

/** Runs on until the end, null if the script fails, or the next runs if an item must be chosen. */
function continueRun(start: Run, machine: Machine): Run | Run[] | 'beyond-bound' | null {
  const run = copyOf(start)
  const { budget, instructions } = machine
  while (true) {
    if (budget.work <= 0) return 'beyond-bound'
    budget.work -= 1
    const isOver = run.at === instructions.length
    const stepped = isOver ? finish(run, machine) : execute(run, machine)
    if (stepped.status === 'failed') return null
    if (stepped.status === 'choose') {
      budget.work -= stepped.choices.length * workOfCopy(run)
      if (budget.work < 0) return 'beyond-bound'
      return stepped.choices.map((choice) => withChoice(run, choice))
    }
    if (isOver) return run
  }
}

/** Dearest first, so that the cheapest is taken from the end; among equals the newest. */
function enqueue(queue: Run[], run: Run): void {
  let low = 0
  let high = queue.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((queue[middle]?.cost ?? 0) >= run.cost) low = middle + 1
    else high = middle
  }
  queue.splice(low, 0, run)
}

/** A witness without a signature is anyone's, and BIP342 bounds the checks by the witness. */
function isEnough({ signatures, taken }: Run, { version }: Machine, given: number): boolean {
  if (version !== 'tapscript') return signatures > 0
  const weight = given + bytesOfAll(taken.map((item) => item ?? EMPTY))
  return signatures > 0 && signatures * CHECK_WEIGHT <= CHECK_WEIGHT + weight
}

const bytesOfAll = (items: readonly Uint8Array[]): number =>
  items.reduce((sum, item) => sum + sized(item), 0)
