import type { Timing } from '../../../clients/typescript/src/requests/options.ts'

/** A timing whose waits end at once and are recorded, in milliseconds. Randomness is always 0.5. */
export function recordedTiming(): Timing & { readonly waits: number[] } {
  const waits: number[] = []
  let waited = 0
  return {
    waits,
    now: () => performance.now() + waited,
    date: () => new Date(Date.now() + waited),
    random: () => 0.5,
    async sleep(ms, signal) {
      signal?.throwIfAborted()
      waits.push(ms)
      waited += ms
    },
  }
}
