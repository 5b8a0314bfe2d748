/** What nothing in a seed may use: a replay would differ. */
const FORBIDDEN: readonly [owner: object, names: readonly string[]][] = [
  [globalThis, ['setTimeout', 'setInterval', 'setImmediate']],
  [globalThis.crypto, ['randomUUID', 'getRandomValues']],
  [Math, ['random']],
]
/** What a library may read without any effect: p-queue does, for rates that are not set. */
const STANDING_MS = Date.UTC(2030, 0, 1)

/**
 * From now on timers and randomness of the machine throw in this thread, and its time stands still.
 * Cannot be undone. test/architecture.test.ts checks that the sources do not read the time
 * themselves.
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
