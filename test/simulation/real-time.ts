/** What nobody in a seed may touch: a replay would not be the same. */
const FORBIDDEN: readonly [owner: object, names: readonly string[]][] = [
  [globalThis, ['setTimeout', 'setInterval', 'setImmediate']],
  [globalThis.crypto, ['randomUUID', 'getRandomValues']],
  [Math, ['random']],
]
/** What a library may look at although nothing comes of it: p-queue does, for rates that nobody set. */
const STANDING_MS = Date.UTC(2030, 0, 1)

/**
 * From now on timers and chance of the machine throw in this thread, and its time stands still. Not
 * to be undone. That the sources ask for no time of their own is held by test/architecture.test.ts.
 */
export function forbidRealTime(): void {
  for (const [owner, names] of FORBIDDEN) {
    for (const name of names) {
      const value = () => {
        throw new Error(`a seed asked for ${name}: time and chance come in as arguments`)
      }
      Object.defineProperty(owner, name, { value })
    }
  }
  Object.defineProperty(Date, 'now', { value: () => STANDING_MS })
  Object.defineProperty(performance, 'now', { value: () => STANDING_MS })
}
