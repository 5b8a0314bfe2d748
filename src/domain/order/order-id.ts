import type { Network, OrderId, Outpoint, TxOut } from '../../schemas/scalars.ts'
import { parseOutpoint } from '../chain/outpoint.ts'
import { taggedHash } from '../script/tagged-hash.ts'
import type { Inspected } from '../verdict/inspect.ts'

const TAGS = {
  ASK_ANYONECANPAY: 'market/order/ask',
  BID_FULLY_FUNDED: 'market/order/bid',
  UNSUPPORTED: 'market/order/unsupported',
} as const

/**
 * The order's id names the authorisation, not its wrapper: what the signatures commit to, and
 * nothing else. An ask (0x83) commits to its own input and the output beside it (BIP143, BIP341),
 * anything else to all inputs and outputs; the offered input is then named as well, because all
 * that concerns an order is kept under its outpoint.
 */
export function orderIdOf(network: Network, { inspection, offer }: Inspected): OrderId {
  const isAsk = inspection.orderClass === 'ASK_ANYONECANPAY'
  const sellerSequence = offer.sequences[offer.sellerIndex] ?? 0
  const committed = isAsk
    ? [inputBytes(parseOutpoint(offer.outpoint), sellerSequence), ...offer.payouts.map(outputBytes)]
    : [
        uint32(offer.sellerIndex),
        uint32(inspection.inputCount),
        ...inspection.inputOutpoints.map((outpoint, at) =>
          inputBytes(outpoint, offer.sequences[at] ?? 0),
        ),
        uint32(inspection.outputCount),
        ...inspection.outputValuesSats.map((valueSats, at) =>
          outputBytes({ valueSats, scriptHex: inspection.outputScriptsHex[at] ?? '' }),
        ),
      ]
  const id = taggedHash(
    TAGS[inspection.orderClass],
    counted(Buffer.from(network)),
    uint32(offer.version),
    uint32(offer.locktime),
    ...committed,
  ).toString('hex')
  return id as OrderId
}

const inputBytes = ({ txid, vout }: Outpoint, sequence: number): Buffer =>
  Buffer.concat([Buffer.from(txid, 'hex'), uint32(vout), uint32(sequence)])

function outputBytes({ valueSats, scriptHex }: TxOut): Buffer {
  const value = Buffer.alloc(8)
  value.writeBigUInt64LE(BigInt(valueSats))
  return Buffer.concat([value, counted(Buffer.from(scriptHex, 'hex'))])
}

const counted = (bytes: Buffer): Buffer => Buffer.concat([uint32(bytes.length), bytes])

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
