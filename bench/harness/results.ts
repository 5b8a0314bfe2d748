import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { z } from 'zod'

// What `npm run bench` writes and the table in docs/performance.md is made from.

const Bound = z.union([z.object({ atLeast: z.number() }), z.object({ atMost: z.number() })])
export type Bound = z.infer<typeof Bound>

const Sample = z.object({
  /** In the unit of the comparison. */
  figure: z.number(),
  /** Processor time of the measured process for one unit of work, microseconds; null: not measured. */
  cpuUs: z.number().nullable(),
  /** What was measured in the same round, by name. */
  beside: z.record(z.string(), z.number()).optional(),
})
/** The result of one side in one round. */
export type Sample = z.infer<typeof Sample>

/** Both sides of one round, measured one after the other. */
const Round = z.object({ ours: Sample, peer: Sample })
export type Round = z.infer<typeof Round>

const BesideBound = z.object({ target: Bound.nullable(), guard: Bound.nullable() })

const Times = z.object({ median: z.number(), p99: z.number() })
const Detail = z.object({ name: z.string(), ours: Times, peer: Times })
/** A part of a comparison, over all rounds, in milliseconds. */
export type Detail = z.infer<typeof Detail>

const Comparison = z.object({
  /** Distinguishes it from the others of its line; empty where it is the only one. */
  name: z.string(),
  /** The amount measured, such as '100,000 orders, 64 connections'. */
  sizes: z.string(),
  /** Of the figures, such as 'requests/s'. */
  unit: z.string(),
  ratio: z.enum(['ours/peer', 'peer/ours']),
  target: Bound.nullable(),
  /** A level reached before (guards.ts): a lower one makes the command fail. */
  guard: Bound.nullable(),
  /** Limits of the additional figures, by name. */
  beside: z.record(z.string(), BesideBound),
  rounds: z.array(Round).min(1),
  /** Absent: it has no parts. */
  details: z.array(Detail).optional(),
})
export type Comparison = z.infer<typeof Comparison>

const MeasuredLine = z.object({
  number: z.int(),
  name: z.string(),
  work: z.string(),
  peer: z.string(),
  /** The measured commit, with a + where files were changed since. */
  commit: z.string(),
  at: z.iso.datetime(),
  seconds: z.number(),
  /** Load of the machine in the last minute, at the beginning and end of the line. */
  load: z.object({ began: z.number(), ended: z.number() }),
  machine: z.string(),
  comparisons: z.array(Comparison),
})
export type MeasuredLine = z.infer<typeof MeasuredLine>

const Results = z.object({ lines: z.array(MeasuredLine) })
export type Results = z.infer<typeof Results>

/** No file, no lines yet. */
export function readResults(path: string): Results {
  return existsSync(path) ? Results.parse(JSON.parse(readFileSync(path, 'utf8'))) : { lines: [] }
}

/** Newly measured lines replace the known ones. */
export function writeResults(path: string, measured: readonly MeasuredLine[]): Results {
  const isNew = new Set(measured.map(({ number }) => number))
  const kept = readResults(path).lines.filter(({ number }) => !isNew.has(number))
  const lines = [...kept, ...measured].sort((a, b) => a.number - b.number)
  writeFileSync(path, `${JSON.stringify({ lines }, null, 2)}\n`)
  return { lines }
}
