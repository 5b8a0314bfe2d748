/** Timers take no longer time: what is above fires at once. */
const LONGEST_MS = 2 ** 31 - 1

/** Calls once after so many milliseconds; Infinity, or more than timers take: not before 24 days. */
export const startTimer = (call: () => void, ms: number): ReturnType<typeof setTimeout> =>
  setTimeout(call, Math.min(ms, LONGEST_MS))
