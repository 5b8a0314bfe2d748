import { networks, Psbt } from 'bitcoinjs-lib'
import type { Account, WalletCoin } from './wallet.ts'

/**
 * Transactions of the pairing protocol (docs/design/pairing.md#the-protocol-on-chain), built as its
 * users build them: one marker, P2WSH carriers, the fee out of the value of the spent carriers.
 */
export interface ObjectMove {
  holder: Account
  /** Carriers of the holder, one input each. */
  carriers: readonly WalletCoin[]
}

const FEE_SATS = 1_000n
const OP_RETURN = 0x6a
const OP_PUSHDATA1 = 0x4c
const VERSION = 1
const CREATE = 1
const MOVE = 2
const PAIR = 3
const UNPAIR = 4

/** The marker that makes an object of output `vout`. */
export const createMarker = (
  magic: string,
  { vout, contentHash, label }: { vout: number; contentHash: Uint8Array; label: string },
): Uint8Array => {
  const text = Buffer.from(label, 'ascii')
  return marker(magic, CREATE, [vout, ...contentHash, text.length, ...text])
}

/** Moves each carrier to a new one, output for input; a pair stays a pair. Hex. */
export const moveObjects = (magic: string, move: ObjectMove): string =>
  spend(move, marker(magic, MOVE, [move.carriers.length, ...inPlace(move)]))

/** Pairs the objects of two carriers. Hex. */
export const pairObjects = (magic: string, move: ObjectMove): string =>
  spend(move, marker(magic, PAIR, [0, 1, 0, 1]))

/** Takes the object of one carrier out of its pair. Hex. */
export const unpairObject = (magic: string, move: ObjectMove): string =>
  spend(move, marker(magic, UNPAIR, [0, 0]))

/** Spends carriers without a marker: their objects are released. Hex. */
export const releaseObjects = (move: ObjectMove): string => spend(move, null)

const inPlace = ({ carriers }: ObjectMove): number[] => carriers.flatMap((_, at) => [at, at])

/** OP_RETURN and one push. */
function marker(magic: string, opcode: number, body: readonly number[]): Uint8Array {
  const data = [...Buffer.from(magic, 'latin1'), VERSION, opcode, ...body]
  const push = data.length < OP_PUSHDATA1 ? [data.length] : [OP_PUSHDATA1, data.length]
  return Uint8Array.from([OP_RETURN, ...push, ...data])
}

function spend({ holder, carriers }: ObjectMove, markerScript: Uint8Array | null): string {
  const psbt = new Psbt({ network: networks.regtest })
  for (const carrier of carriers) psbt.addInput(holder.input(carrier))
  for (const { valueSats } of carriers) {
    psbt.addOutput({
      script: Buffer.from(holder.scriptHex, 'hex'),
      value: BigInt(valueSats) - FEE_SATS,
    })
  }
  if (markerScript) psbt.addOutput({ script: markerScript, value: 0n })
  return holder
    .sign(
      psbt,
      carriers.map((_, at) => at),
    )
    .extractTransaction(true)
    .toHex()
}
