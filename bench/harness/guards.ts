import type { Bound, Comparison } from './results.ts'

interface Guard {
  line: number
  /** Of its comparison; empty: it is the only one. */
  name?: string
  /** How the text of the sizes begins for which it held. */
  sizes: string
  held: Bound
}

/**
 * Ratios that held before (bench/results.json): the worse quartile of the rounds less their spread;
 * of a single round, less a tenth, or twice a ratio below a hundredth.
 */
const GUARDS: readonly Guard[] = [
  { line: 1, sizes: '100000 orders', held: { atLeast: 0.31 } },
  { line: 2, name: 'Redis', sizes: '1000000 orders', held: { atLeast: 1 } },
  { line: 2, name: 'embedded', sizes: '1000000 orders', held: { atLeast: 1.2 } },
  { line: 3, sizes: '30000 orders', held: { atLeast: 0.79 } },
  { line: 4, sizes: '7000 inputs', held: { atMost: 1.8 } },
  { line: 5, name: '1 thread', sizes: '5000 asks', held: { atLeast: 4.4 } },
  { line: 5, name: '2 threads', sizes: '5000 asks', held: { atLeast: 6.5 } },
  { line: 6, name: 'embedded', sizes: '25 alone', held: { atMost: 3 } },
  { line: 6, name: 'log in Kafka', sizes: '25 alone', held: { atMost: 4.4 } },
  { line: 7, sizes: '100000 orders', held: { atMost: 0.0015 } },
  { line: 8, sizes: '100000 LIVE orders', held: { atMost: 0.0016 } },
  { line: 9, sizes: '256 connections', held: { atLeast: 0.57 } },
  {
    line: 10,
    name: 'relevant transactions alone',
    sizes: '1000 new objects',
    held: { atLeast: 0.077 },
  },
  { line: 10, name: 'ordinary blocks', sizes: '1 new object', held: { atLeast: 2.4 } },
  { line: 11, sizes: '100068 shards', held: { atLeast: 25 } },
  { line: 12, sizes: '10 batches', held: { atLeast: 0.64 } },
  { line: 13, sizes: '100000 orders', held: { atMost: 3 } },
  { line: 14, sizes: '1000000 orders', held: { atLeast: 0.49 } },
  { line: 15, name: 'line 1', sizes: '100000 ', held: { atMost: 1.3 } },
  { line: 15, name: 'line 2, Redis', sizes: '100000 ', held: { atMost: 1.3 } },
  { line: 15, name: 'line 2, embedded', sizes: '100000 ', held: { atMost: 1.3 } },
  { line: 15, name: 'line 3', sizes: '100000 ', held: { atMost: 1.2 } },
  { line: 15, name: 'line 9', sizes: '100000 ', held: { atMost: 1.4 } },
  { line: 15, name: 'line 6', sizes: '100000 ', held: { atMost: 1.1 } },
  { line: 15, name: 'line 1', sizes: '1000000 ', held: { atMost: 1.6 } },
  { line: 15, name: 'line 2, Redis', sizes: '1000000 ', held: { atMost: 1.5 } },
  { line: 15, name: 'line 2, embedded', sizes: '1000000 ', held: { atMost: 1.3 } },
  { line: 15, name: 'line 3', sizes: '1000000 ', held: { atMost: 2.1 } },
  { line: 15, name: 'line 9', sizes: '1000000 ', held: { atMost: 1.3 } },
  { line: 16, sizes: '10000 readers', held: { atLeast: 0.24 } },
  { line: 17, sizes: '50000 orders', held: { atMost: 2.3 } },
]

/** Null: no figure of this comparison at these sizes is known. */
export function guardOf(
  number: number,
  { name, sizes }: Pick<Comparison, 'name' | 'sizes'>,
): Bound | null {
  const isOfIt = (guard: Guard) =>
    guard.line === number && (guard.name ?? '') === name && sizes.startsWith(guard.sizes)
  return GUARDS.find(isOfIt)?.held ?? null
}
