/**
 * The rules of Bitcoin Core's regtest that differ from mainnet, and the rules of both that the
 * devnet needs.
 */

/** Regtest never retargets: every second hash is good enough. */
export const POW_BITS = 0x207fffff
const HALVING_INTERVAL = 150
export const COINBASE_MATURITY = 100
export const MAX_BLOCK_WEIGHT = 4_000_000
/** ord computes the subsidy of every chain with mainnet's halvings, despite regtest's 150. */
export const ORD_HALVING_INTERVAL = 210_000
/** ord: from this height on a cursed inscription gets a number of its own above zero. */
export const JUBILEE_HEIGHT = 110

const FIRST_SUBSIDY_SATS = 5_000_000_000n

/** New sats of a block at this height. */
export const subsidyAt = (height: number, halvingInterval = HALVING_INTERVAL): bigint =>
  FIRST_SUBSIDY_SATS >> BigInt(Math.floor(height / halvingInterval))

/** Block 0 of regtest, as Core has it: its output is in no UTXO set and its transaction in no index. */
export const GENESIS_HEX = [
  '01000000',
  '00'.repeat(32),
  '3ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a',
  'dae5494dffff7f2002000000',
  '01',
  '01000000',
  '01',
  `${'00'.repeat(32)}ffffffff`,
  '4d04ffff001d0104455468652054696d65732030332f4a616e2f32303039204368616e63656c6c6f72206f6e20',
  '6272696e6b206f66207365636f6e64206261696c6f757420666f722062616e6b73',
  'ffffffff',
  '01',
  '00f2052a01000000',
  '434104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f355',
  '04e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac',
  '00000000',
].join('')
