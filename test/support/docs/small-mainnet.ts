/** The generated mainnet of a test of commands: as `Stub.start` takes it. */
export const SMALL_MAINNET = {
  height: 3_000,
  fullBlocks: 10,
  transactions: 40,
  mempool: 20,
  perSecond: 5,
  blockEveryMs: 0,
} as const
