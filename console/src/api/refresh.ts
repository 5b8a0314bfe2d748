import { queryClient } from './market.ts'

/** However many changes arrive, what is shown is read again at most this often. */
const EVERY_MS = 1_000

const waiting = new Map<string, ReturnType<typeof setTimeout>>()
const lastAt = new Map<string, number>()

/** Invalidates what is cached under a key: at once, or as soon as the last time is past. */
export function refresh(key: string): void {
  if (waiting.has(key)) return
  const since = performance.now() - (lastAt.get(key) ?? Number.NEGATIVE_INFINITY)
  const run = () => {
    waiting.delete(key)
    lastAt.set(key, performance.now())
    void queryClient.invalidateQueries({ queryKey: [key] })
  }
  waiting.set(key, setTimeout(run, Math.max(0, EVERY_MS - since)))
}
