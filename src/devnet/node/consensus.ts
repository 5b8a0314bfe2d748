import type { Transaction } from 'bitcoinjs-lib'
import { MAX_MONEY } from '../../schemas/scalars.ts'
import { COINBASE_MATURITY, MAX_BLOCK_WEIGHT } from './regtest.ts'
import type { Tx } from './tx.ts'

/** An unspent output. `height` is that of its block; of a mempool output, that of the next block. */
export interface Coin {
  valueSats: bigint
  script: Uint8Array
  height: number
  coinbase: boolean
}

const LOCKTIME_THRESHOLD = 500_000_000
const SEQUENCE_FINAL = 0xffffffff
const SEQUENCE_LOCK_DISABLED = 0x80000000
const SEQUENCE_LOCK_SECONDS = 0x00400000
const SEQUENCE_LOCK_MASK = 0x0000ffff
const SEQUENCE_LOCK_GRANULARITY = 9
const NO_PREVOUT = `${'00'.repeat(32)}:${0xffffffff}`

/** Core `CheckTransaction`: what needs no chain. The reject reason, or null. */
export function malformation({ raw, prevouts }: Tx): string | null {
  if (raw.ins.length === 0) return 'bad-txns-vin-empty'
  if (raw.outs.length === 0) return 'bad-txns-vout-empty'
  if (raw.byteLength(false) * 4 > MAX_BLOCK_WEIGHT) return 'bad-txns-oversize'
  let total = 0n
  for (const { value } of raw.outs) {
    if (value < 0n) return 'bad-txns-vout-negative'
    if (value > MAX_MONEY) return 'bad-txns-vout-toolarge'
    total += value
    if (total > MAX_MONEY) return 'bad-txns-txouttotal-toolarge'
  }
  if (new Set(prevouts).size !== prevouts.length) return 'bad-txns-inputs-duplicate'
  if (!raw.isCoinbase() && prevouts.some((prevout) => prevout === NO_PREVOUT))
    return 'bad-txns-prevout-null'
  return null
}

/** BIP113: final in a block of this height whose parent has this median time past. */
export function isFinal({ raw }: Tx, height: number, medianTime: number): boolean {
  const reached = raw.locktime < LOCKTIME_THRESHOLD ? height : medianTime
  if (raw.locktime === 0 || raw.locktime < reached) return true
  return raw.ins.every(({ sequence }) => sequence === SEQUENCE_FINAL)
}

export interface LockView {
  /** The height of the block that is to contain the transaction. */
  height: number
  /** Median time past of its parent. */
  medianTime: number
  /** Median time past of the block at this height. */
  medianTimeAt(height: number): number
}

/** What a block must be past before a transaction may be in it: a height, and a median time. */
export interface SequenceLock {
  height: number
  medianTime: number
  /** The height of the youngest coin in a block that decided it; 0 for none. */
  youngestHeight: number
}

/**
 * BIP68 relative locks; `coins` in input order; coins of the mempool count at the height of `view`.
 */
export function sequenceLock({ raw }: Tx, coins: readonly Coin[], view: LockView): SequenceLock {
  const result = { height: -1, medianTime: -1, youngestHeight: 0 }
  if (raw.version < 2) return result
  raw.ins.forEach(({ sequence }, index) => {
    const coin = coins[index]
    if (coin === undefined || (sequence & SEQUENCE_LOCK_DISABLED) !== 0) return
    if (coin.height !== view.height)
      result.youngestHeight = Math.max(result.youngestHeight, coin.height)
    const lock = sequence & SEQUENCE_LOCK_MASK
    if ((sequence & SEQUENCE_LOCK_SECONDS) === 0) {
      result.height = Math.max(result.height, coin.height + lock - 1)
      return
    }
    const since = view.medianTimeAt(Math.max(coin.height - 1, 0))
    const time = since + (lock << SEQUENCE_LOCK_GRANULARITY) - 1
    result.medianTime = Math.max(result.medianTime, time)
  })
  return result
}

export const isPast = (lock: SequenceLock, view: LockView): boolean =>
  lock.height < view.height && lock.medianTime < view.medianTime

/** Core `CheckTxInputs` for a block of this height; `coins` in input order. */
export function feeOf(
  { raw }: Tx,
  coins: readonly Coin[],
  height: number,
): { feeSats: bigint } | { reason: string } {
  let spent = 0n
  for (const coin of coins) {
    if (coin.coinbase && height - coin.height < COINBASE_MATURITY)
      return { reason: 'bad-txns-premature-spend-of-coinbase' }
    spent += coin.valueSats
    if (spent > MAX_MONEY) return { reason: 'bad-txns-inputvalues-outofrange' }
  }
  const feeSats = spent - outputSum(raw)
  return feeSats < 0n ? { reason: 'bad-txns-in-belowout' } : { feeSats }
}

export const outputSum = ({ outs }: Transaction): bigint =>
  outs.reduce((sum, { value }) => sum + value, 0n)

const OP_RETURN = 0x6a
const MAX_SCRIPT_BYTES = 10_000

/** Core `IsUnspendable`: such an output never enters the UTXO set. */
export const isOutsideUtxoSet = (script: Uint8Array): boolean =>
  script[0] === OP_RETURN || script.length > MAX_SCRIPT_BYTES
