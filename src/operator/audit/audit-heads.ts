import { HeadsCheck } from '../../domain/heads/check-heads.ts'
import type { EventLog } from '../../ports/log/event-log.ts'
import { TOPICS } from '../../schemas/log.ts'
import type { Network } from '../../schemas/scalars.ts'
import { readWhole } from './read-whole.ts'
import type { AuditReport } from './report.ts'

/** The keys whose heads count; without a network none are read. */
export interface HeadJudges {
  network: Network
  /** Public keys; empty: whichever key a head names. */
  headKeys?: readonly string[]
}

/** The records of the partition are taken as they are read. */
interface HeadsReading {
  take(offset: number, value: unknown): void
  report(report: AuditReport): void
}

/** I3 of a whole partition: its lifecycle is what was signed of it. */
export async function auditedHeads(
  log: EventLog,
  partition: number,
  { network, headKeys: keys = [] }: Partial<HeadJudges>,
): Promise<HeadsReading> {
  if (!network) return NOT_ASKED
  const values: unknown[] = []
  for await (const { value } of readWhole(log, TOPICS.heads, partition)) values.push(value)
  const check = new HeadsCheck(values, { network, partition, keys })
  let records = 0
  return {
    take: (offset, value) => {
      records += 1
      check.take(offset, value)
    },
    report: (report) => {
      check.end()
      for (const problem of check.problems) report.check('I3', false, () => problem)
      const isLacking = keys.length > 0 && values.length === 0 && records > 0
      if (isLacking) report.check('I3', false, () => `partition ${partition}: has no signed head`)
      if (check.last) report.check('I3', true, () => '')
      if (check.last) report.note(noteOf(partition, check.last))
    },
  }
}

const NOT_ASKED: HeadsReading = { take: () => {}, report: () => {} }

const noteOf = (
  partition: number,
  { count, from, offset, at, publicKey }: NonNullable<HeadsCheck['last']>,
): string =>
  `partition ${partition}: ${count} records from offset ${from} to ${offset} are as key ${publicKey} signed them at ${at}`
