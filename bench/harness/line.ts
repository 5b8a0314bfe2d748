import type { Bound, Comparison, Round, Sample } from './results.ts'

/** A row of the table: work that is measured beside a peer that does as much. */
export interface Line {
  /** In the table. */
  number: number
  /** For the command line. */
  name: string
  work: string
  peer: string
  run(context: LineContext): Promise<Comparison[]>
}

export interface LineContext {
  /** Sizes of a minute or less, to try a line. */
  isQuick: boolean
  /** The sizes of a whole market, where they do not fit the minutes of all lines. */
  isFull: boolean
  /** How often each side is measured, unless the line has a reason of its own. */
  rounds: number
  /** What is going on, for whoever waits. */
  progress(what: string): void
}

/** Measures one side once. */
export type Side = (round: number) => Sample | Promise<Sample>

export interface About extends Omit<Comparison, 'rounds' | 'beside' | 'guard'> {
  guard?: Bound
  beside?: Comparison['beside']
  rounds: number
  /** Rounds before the first one that counts: of both sides, to warm up code and caches. */
  warmUp?: number
}

/**
 * Measures both sides in turn, a round of each, and each second round the other way about: what changes on the
 * machine meanwhile meets both.
 */
export async function compare(
  { rounds, warmUp = 1, guard, beside, ...about }: About,
  ours: Side,
  peer: Side,
): Promise<Comparison> {
  const measured: Round[] = []
  for (let round = -warmUp; round < rounds; round += 1) {
    const both = await measureBoth(round, ours, peer)
    if (round >= 0) measured.push(both)
  }
  return { ...about, guard: guard ?? null, beside: beside ?? {}, rounds: measured }
}

async function measureBoth(round: number, ours: Side, peer: Side): Promise<Round> {
  if (round % 2 === 0) {
    const first = await ours(round)
    return { ours: first, peer: await peer(round) }
  }
  const first = await peer(round)
  return { peer: first, ours: await ours(round) }
}
