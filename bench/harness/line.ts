import type { Comparison, Round, Sample } from './results.ts'

/** A row of the table: work that is measured against a peer that does the same amount. */
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
  /** Sizes that take a minute or less, to try a line. */
  isQuick: boolean
  /** The sizes of a whole market, where they take too long for a run of all lines. */
  isFull: boolean
  /** How often each side is measured, unless the line has a reason of its own. */
  rounds: number
  /** Reports progress. */
  progress(what: string): void
}

/** Measures one side once. */
export type Side = (round: number) => Sample | Promise<Sample>

export interface About extends Omit<Comparison, 'rounds' | 'beside' | 'guard'> {
  beside?: Comparison['beside']
  rounds: number
  /** Rounds before the first one that counts: of both sides, to warm up code and caches. */
  warmUp?: number
}

/**
 * Measures both sides in turn, a round each, in reverse order every second round: changes of the
 * machine affect both.
 */
export async function compare(
  { rounds, warmUp = 1, beside, ...about }: About,
  ours: Side,
  peer: Side,
): Promise<Comparison> {
  const measured: Round[] = []
  for (let round = -warmUp; round < rounds; round += 1) {
    const both = await measureBoth(round, ours, peer)
    if (round >= 0) measured.push(both)
  }
  return { ...about, guard: null, beside: beside ?? {}, rounds: measured }
}

async function measureBoth(round: number, ours: Side, peer: Side): Promise<Round> {
  if (round % 2 === 0) {
    const first = await ours(round)
    return { ours: first, peer: await peer(round) }
  }
  const first = await peer(round)
  return { peer: first, ours: await ours(round) }
}
