import type { Kafka } from 'kafkajs'
import type { Clock } from '../../runtime/clock.ts'
import type { Turn, TurnWork } from '../../runtime/turn.ts'
import { WriterReplacedError } from './client/errors.ts'
import { ingestGroupOf, OWN_TOPICS } from './client/names.ts'
import { GroupMembership } from './group/group-membership.ts'
import { holderFirst } from './group/holder-first.ts'

export interface TurnParts {
  kafka: Kafka
  prefix: string
  clock: Pick<Clock, 'now'>
  turn: Turn
}

/**
 * Works while the group of ingest has chosen this process, and waits while it has chosen another
 * one, until the signal aborts. Rejects when work, waiting or membership fails: it then has no turn.
 */
export async function inTurns(
  { kafka, prefix, clock, turn }: TurnParts,
  { work, wait }: TurnWork,
  signal: AbortSignal,
): Promise<void> {
  let since: number | null = null
  const group = new GroupMembership({
    kafka,
    groupId: ingestGroupOf(prefix),
    topic: prefix + OWN_TOPICS.ingest,
    partitions: 1,
    assigner: holderFirst(() => since),
  })
  const onAssigned = (partitions: readonly number[]) => {
    const isOurs = partitions.length > 0
    since = isOurs ? (since ?? clock.now()) : null
    turn.set(isOurs)
  }
  // The other process may have begun before this one heard of it.
  const orTurnEnded = (run: TurnWork['work']) => (until: AbortSignal) =>
    run(until).catch((error: unknown) => {
      const isOfTheEnd = error instanceof WriterReplacedError || error === until.reason
      if (!until.aborted || !isOfTheEnd) throw error
    })
  const stop = new AbortController()
  const ended = AbortSignal.any([signal, stop.signal])
  const parts = [
    group.run(onAssigned, ended),
    turn.alternate({ work: orTurnEnded(work), wait: orTurnEnded(wait) }, ended),
  ]
  try {
    await Promise.all(parts)
  } finally {
    stop.abort()
    await Promise.allSettled(parts)
    turn.set(false)
    await group.leave()
  }
}
