import type { Tally } from './stranger.ts'

const MINUTE_MS = 60_000

/**
 * What contradicts that one client was given all that a limit a minute lets it have, and no more. An
 * attack that gets nothing through proves nothing about the limit.
 */
export function limitTroubles(
  { statuses, ms }: Pick<Tally, 'statuses' | 'ms'>,
  perMinute: number,
): string[] {
  const { '200': taken = 0, '429': refused = 0 } = statuses
  const allowed = perMinute * Math.max(1, Math.ceil(ms / MINUTE_MS))
  const seen = `in ${Math.round(ms)} ms: ${JSON.stringify(statuses)}`
  return [
    ...(taken === 0 ? [`none was answered ${seen}`] : []),
    ...(refused === 0 ? [`none was refused, the limit was not reached ${seen}`] : []),
    ...(taken > allowed ? [`${taken} were answered, of ${allowed} that it allows ${seen}`] : []),
  ]
}
