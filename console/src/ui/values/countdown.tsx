import { useFromNow } from './now.ts'

const MINUTE = 60

/** Whole minutes and seconds that are left: `9 min 05 s`, `42 s`. */
export function leftText(seconds: number): string {
  const left = Math.max(0, Math.ceil(seconds))
  if (left < MINUTE) return `${left} s`
  return `${Math.floor(left / MINUTE)} min ${String(left % MINUTE).padStart(2, '0')} s`
}

/** How long something still holds, ticking; and that it no longer does. */
export function Countdown({ until }: { until: string }) {
  const left = useFromNow((nowMs) => {
    const seconds = (Date.parse(until) - nowMs) / 1_000
    return seconds > 0 ? leftText(seconds) : null
  })
  return (
    // In an answer that is read out, only its end is.
    <time
      dateTime={until}
      title={until}
      class={left === null ? 'stale' : undefined}
      aria-live={left === null ? undefined : 'off'}
    >
      {left === null ? 'expired' : `${left} left`}
    </time>
  )
}
