import { follows, precedes } from '../domain/watermark-order.ts'
import { LOG_SCHEMA, type PartitionSnapshot, type Watermark } from '../schemas/log.ts'

/**
 * What a partition has consumed once it meets this watermark; null when it has met it before, or
 * when its writer was replaced. `pass` starts where continuity ended for all.
 */
export function advance(
  before: PartitionSnapshot | null,
  watermark: Watermark,
  { partition, lifecycleEnd }: Pick<PartitionSnapshot, 'partition' | 'lifecycleEnd'>,
): PartitionSnapshot | null {
  const { epoch, n } = watermark
  const seen = { epoch, n }
  if (before && !precedes(before.seen, seen)) return null
  const isLost = watermark.lost === 'all' || (before !== null && !follows(seen, before.seen))
  const pass = isLost && before ? null : before?.pass
  return {
    schema: LOG_SCHEMA,
    kind: 'partition',
    partition,
    seen,
    watermark: watermark.covers ? watermark : (before?.watermark ?? null),
    continuousSince: isLost || !before ? seen : before.continuousSince,
    lifecycleEnd,
    ...(pass === undefined ? {} : { pass }),
  }
}

/**
 * The partition where the inbox has a gap: what was verified until now has lost continuity. It is
 * said at once, since the first watermark of a new epoch would hide what was lost before it.
 */
export const afterGap = (partition: PartitionSnapshot): PartitionSnapshot => ({
  ...partition,
  continuousSince: { epoch: partition.seen.epoch, n: partition.seen.n + 1 },
  pass: null,
})

/** The partition with its pass over LIVE orders gone on to this id; undefined: at its end. */
export function withPass(
  { pass: _pass, ...rest }: PartitionSnapshot,
  id: string | undefined,
): PartitionSnapshot {
  return id === undefined ? rest : { ...rest, pass: id }
}
