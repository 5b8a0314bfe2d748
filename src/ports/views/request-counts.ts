/** How many requests a window has counted, and the milliseconds until it ends; 0 and 0: none is open. */
export interface WindowCount {
  current: number
  ttlMs: number
}

/** Counts of requests that several gateways keep together, each in fixed windows of a minute. */
export interface RequestCounts {
  /**
   * Counts a request under the key, in the window that is open or in one that opens with it; without
   * `isCounted` only reads. Calls take effect in their order. Throws `StorageUnavailableError`.
   */
  count(key: string, isCounted: boolean): Promise<WindowCount>
}

export const COUNT_WINDOW_MS = 60_000
