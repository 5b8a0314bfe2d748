import type { Outpoint } from '../../../src/schemas/scalars.ts'
import type { ChainDriver } from './chain-driver.ts'
import { hexOf, txOut, type Wallet } from './wallet.ts'

/** Base-128 integer, least significant first (ord, docs/src/runes/specification.md). */
function varint(value: bigint): number[] {
  const bytes: number[] = []
  for (let rest = value; ; rest >>= 7n) {
    const low = Number(rest & 0x7fn)
    if (rest < 0x80n) return [...bytes, low]
    bytes.push(low | 0x80)
  }
}

const FLAGS_TAG = 2n
const ETCHING_FLAG = 1n
const PREMINE_TAG = 6n

/** Etches a rune of a reserved name with its whole premine on output 0; left in the mempool. */
export async function etch(
  driver: ChainDriver,
  wallet: Wallet,
  premine: bigint,
): Promise<Outpoint> {
  const payload = [FLAGS_TAG, ETCHING_FLAG, PREMINE_TAG, premine].flatMap(varint)
  const runestone = hexOf(Uint8Array.of(0x6a, 0x5d, payload.length, ...payload))
  const transaction = wallet.pay([txOut(wallet.scriptHex, 10_000n), txOut(runestone, 0n)])
  return { txid: await driver.submit(transaction.toHex()), vout: 0 }
}
