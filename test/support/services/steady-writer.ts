import { systemClock } from '../system-clock.ts'

/** Did it succeed? */
export const isOk = (asked: Promise<unknown>): Promise<boolean> =>
  asked.then(
    () => true,
    () => false,
  )

/** Writes one number after another until it is stopped; what was acknowledged, and the slowest answer. */
export function writing(write: (value: number) => Promise<unknown>) {
  const acknowledged: number[] = []
  const slowest = { ms: 0 }
  let isOver = false
  const done = (async () => {
    for (let value = 0; !isOver; value += 1) {
      const begun = performance.now()
      if (await isOk(write(value))) acknowledged.push(value)
      slowest.ms = Math.max(slowest.ms, performance.now() - begun)
      await systemClock.sleep(1)
    }
  })()
  const stop = async () => {
    isOver = true
    await done
  }
  return { acknowledged, slowest, stop }
}
