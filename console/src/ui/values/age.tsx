import { useFromNow } from './now.ts'

const MINUTE = 60
const HOUR = 3_600
const DAY = 86_400

/** Whole units of an age in seconds: `42 s`, `3 min`, `5 h`, `12 d`. */
export function ageText(seconds: number): string {
  const age = Math.max(0, Math.floor(seconds))
  if (age < 2 * MINUTE) return `${age} s`
  if (age < 2 * HOUR) return `${Math.floor(age / MINUTE)} min`
  if (age < 2 * DAY) return `${Math.floor(age / HOUR)} h`
  return `${Math.floor(age / DAY)} d`
}

/** How long ago, ticking; the time itself on hover and for programs. */
export function Age({ at }: { at: string }) {
  const age = useFromNow((nowMs) => ageText((nowMs - Date.parse(at)) / 1_000))
  return (
    // In an answer that is read out, it would be read out each second.
    <time dateTime={at} title={at} aria-live="off">
      {age} ago
    </time>
  )
}
