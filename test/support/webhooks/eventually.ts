import { expect } from 'vitest'

/** However busy the machine is: every awaited condition comes about by itself. */
const PATIENCE_MS = 30_000

/** Asserts of what will be, as `expect` does of what is. */
export const eventually = <T>(read: () => T | Promise<T>) =>
  expect.poll(read, { timeout: PATIENCE_MS })
