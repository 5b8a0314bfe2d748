import type { Bound, Comparison, Detail, Sample } from '../../harness/results.ts'
import { spreadOf } from '../../harness/spread.ts'
import { quantile } from '../../harness/table.ts'

/** One side in one round. */
export interface Measured {
  /** Of all processes that serve the answer. */
  cpuUs: number
  /** Milliseconds of each page, by shape. */
  samples: number[][]
}

/** What is compared, and the labels of its shapes. */
export interface About {
  name: string
  sizes: string
  labels: readonly string[]
  unit?: string
  /** Of the peer's time for the median shape to ours. */
  target?: Bound
}

/** In the name of a comparison. */
export const FIRST_PAGES = 'first pages of new lists'
const P99 = 'p99 of all pages, ms'
const SLOWER = 'shapes with a longer median than the peer’s'
const SLOWER_P99 = 'shapes with a longer p99 than the peer’s'

/** A shape is judged by the pages of all rounds. */
export function comparisonOf(
  { name, sizes, labels, unit = 'ms a page of the median shape', target = { atLeast: 1.5 } }: About,
  ours: readonly Measured[],
  peer: readonly Measured[],
): Comparison {
  const details = labels.map((label, at): Detail => {
    const of = (side: readonly Measured[]) => {
      const samples = side.flatMap((round) => round.samples[at] ?? [])
      return { median: quantile(samples, 0.5), p99: quantile(samples, 0.99) }
    }
    return { name: label, ours: of(ours), peer: of(peer) }
  })
  const slower = details.filter((shape) => shape.ours.median > shape.peer.median).length
  const slowerP99 = details.filter((shape) => shape.ours.p99 > shape.peer.p99).length
  const none = { target: { atMost: 0 }, guard: null }
  return {
    name,
    sizes,
    unit,
    ratio: 'peer/ours',
    target,
    guard: null,
    beside: { [SLOWER]: none, [SLOWER_P99]: none, [P99]: { target: null, guard: null } },
    rounds: ours.map((round, at) => ({
      ours: pageSample(round, { [SLOWER]: slower, [SLOWER_P99]: slowerP99 }),
      peer: pageSample(peer[at] ?? round),
    })),
    details,
  }
}

/** The median of the shapes' medians. */
export function pageSample(
  { cpuUs, samples }: Measured,
  beside: Record<string, number> = {},
): Sample {
  const all = samples.flat()
  return {
    figure: spreadOf(samples.map((shape) => quantile(shape, 0.5))).median,
    cpuUs: cpuUs / all.length,
    beside: { ...beside, [P99]: quantile(all, 0.99) },
  }
}
