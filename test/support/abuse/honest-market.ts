import type { SellerCoin } from '../chain/seller-coins.ts'

/** What honest clients start with. */
export interface HonestWorld {
  address: string
  /** One listing each. */
  sellers: SellerCoin[]
  /** Two paddings, then the payment. */
  buyers: SellerCoin[]
}

export type HonestAct =
  | 'read'
  | 'import'
  | 'publish'
  | 'portable-event'
  | 'quote'
  | 'preflight'
  | 'revalidate'

/** What honest clients saw since the last report. */
export interface HonestReport {
  /** Milliseconds of every answer, by act. */
  answersMs: Partial<Record<HonestAct, number[]>>
  /** Answers of 503 with Retry-After, after which the client retried. */
  putOff: Partial<Record<HonestAct, number>>
  /** Answers of 504, "still being verified", after which it retried too. */
  late: Partial<Record<HonestAct, number>>
  /** What was wrong, in words. */
  wrong: string[]
}

export interface LiveListing {
  id: string
  psbt: string
  coin: SellerCoin
}

export type HonestSkills = {
  open(world: HonestWorld): void
  /** Works at its steady pace until `rest`. */
  work(): void
  /** Stops, and waits for requests in flight. */
  rest(): Promise<void>
  report(): HonestReport
  /** Orders that it made LIVE, newest first. */
  listed(count: number): LiveListing[]
}

export type ReaderSkills = {
  open(address: string): void
  /** LIVE orders: from now on these are read one by one, besides the lists. */
  follow(ids: readonly string[]): void
  work(): void
  rest(): Promise<void>
  report(): HonestReport
}

export const emptyReport = (): HonestReport => ({
  answersMs: {},
  putOff: {},
  late: {},
  wrong: [],
})

/** Both reports combined. */
export function joinedReports(one: HonestReport, other: HonestReport): HonestReport {
  const answersMs = { ...one.answersMs }
  for (const [act, times] of Object.entries(other.answersMs) as [HonestAct, number[]][]) {
    answersMs[act] = [...(answersMs[act] ?? []), ...times]
  }
  return {
    answersMs,
    putOff: summed(one.putOff, other.putOff),
    late: summed(one.late, other.late),
    wrong: [...one.wrong, ...other.wrong],
  }
}

type Counts = HonestReport['putOff']

function summed(one: Counts, other: Counts): Counts {
  const sum = { ...one }
  for (const [act, count] of Object.entries(other) as [HonestAct, number][]) {
    sum[act] = (sum[act] ?? 0) + count
  }
  return sum
}
