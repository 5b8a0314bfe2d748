import type { z } from 'zod'
import * as evidence from '../../src/schemas/evidence.ts'
import * as log from '../../src/schemas/log.ts'
import * as order from '../../src/schemas/order.ts'
import * as orderRecord from '../../src/schemas/order-record.ts'

/** What every reader of the log parses, and the parts that occur in many records. */
const PARSED: readonly z.ZodType[] = [
  log.InboxRecord,
  log.LifecycleRecord,
  log.SnapshotRecord,
  log.Watermark,
  log.Cause,
  orderRecord.OfferClaim,
  orderRecord.Anchor,
  order.AssetClaim,
  order.SourceEvidence,
  order.Validation,
  evidence.Evidence,
  evidence.Spend,
]

/**
 * The log's contents never change, and always parse to the same: so every object of it is parsed
 * once, and all its readers share the result. A seed has a dozen readers of each record.
 */
export function parseOnce(): void {
  for (const { _zod: schema } of PARSED) {
    const parsed = new WeakMap<object, unknown>()
    const { run } = schema
    schema.run = (payload, context) => {
      const { value: input } = payload
      if (typeof input !== 'object' || input === null) return run(payload, context)
      const known = parsed.get(input)
      if (known !== undefined) {
        payload.value = known
        return payload
      }
      const result = run(payload, context)
      if (result instanceof Promise || result.issues.length > 0) return result
      const value = result.value as object
      parsed.set(input, value).set(value, value)
      return result
    }
  }
}
