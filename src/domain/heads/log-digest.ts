import { hash } from 'node:crypto'
import type { LifecycleRecord } from '../../schemas/log.ts'
import type { LogHead } from '../../schemas/log-head.ts'
import { canonicalJson } from '../json/canonical-json.ts'
import { changeHash } from '../order/change-chain.ts'

/** The records of a partition's lifecycle from an offset on, as one hash that the next record continues. */
export type LogDigest = Pick<LogHead, 'from' | 'count' | 'digest'>

export const emptyDigest = (from: number): LogDigest => ({ from, count: 0, digest: '0'.repeat(64) })

/** With one record more, by its hash. */
export const digestWith = ({ from, count, digest }: LogDigest, recordHash: string): LogDigest => ({
  from,
  count: count + 1,
  digest: hash('sha256', `market/log ${digest} ${recordHash}`),
})

/** The hash of a record that this process made: a change has it already. */
export const writtenHash = (record: LifecycleRecord): string =>
  record.kind === 'outcome' ? valueHash(record) : record.hash

/** The hash of a record by what is in it now, whatever hash it carries. */
export function foundHash(value: unknown): string {
  if (typeof value !== 'object' || value === null || !('hash' in value)) return valueHash(value)
  const { hash: told, ...content } = value
  const made = changeHash(content as Parameters<typeof changeHash>[0])
  return made === told ? made : valueHash(value)
}

const valueHash = (value: unknown): string => hash('sha256', canonicalJson(value))
