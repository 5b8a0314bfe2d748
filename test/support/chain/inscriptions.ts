import { payments, Transaction } from 'bitcoinjs-lib'
import type { TxOut } from '../../../src/schemas/scalars.ts'
import type { ChainDriver } from './chain-driver.ts'
import { bytesOf, type Coin, coinOf, hexOf, txOut, unsigned, type Wallet } from './wallet.ts'

export interface InscriptionSpec {
  /** Its content, without which it has none: `null`. */
  body?: string | Uint8Array | null
  /** Its media type, tag 1. */
  mediaType?: string
  /** The coding of its body, tag 9. */
  coding?: string
  /** The inscription that it nominates to be shown in its place, tag 11. */
  delegate?: string
  /** The sat's offset within the outputs of the reveal (tag 2 of the envelope). */
  pointer?: number
  /** Adds a field of a tag that ord does not know; an even one leaves the inscription unbound. */
  unknownTag?: number
}

export interface Inscribed {
  ids: readonly string[]
  coin: Coin
  /** Commit and reveal, in this order. */
  transactionsHex: readonly [string, string]
}

const REVEAL_FEE = 10_000n

const OP_PUSHDATA2 = 0x4d
const SHORT_PUSH = 75
/** Consensus: of one element of the stack. */
const LONGEST_PUSH = 520

/** One push of at most 520 bytes, never as OP_1..OP_16: ord counts a pushnum tag as a curse. */
function push(bytes: Uint8Array): string {
  const { length } = bytes
  const head = length <= SHORT_PUSH ? [length] : [OP_PUSHDATA2, length & 0xff, length >> 8]
  return hexOf(Uint8Array.of(...head, ...bytes))
}

/** As many pushes as it takes: ord joins them. */
function pushes(bytes: Uint8Array): string {
  const count = Math.max(1, Math.ceil(bytes.length / LONGEST_PUSH))
  const parts = Array.from({ length: count }, (_, at) =>
    bytes.subarray(at * LONGEST_PUSH, (at + 1) * LONGEST_PUSH),
  )
  return parts.map(push).join('')
}

/** The txid as it is serialized; of the index 0 nothing is left. */
function idBytes(id: string): Uint8Array {
  const [txid = '', index] = id.split('i')
  if (index !== '0') throw new Error('only the first inscription of a reveal is nominated')
  return Buffer.from(txid, 'hex').reverse()
}

/** `OP_FALSE OP_IF "ord" <tag value>… OP_0 <body> OP_ENDIF`, by ord's docs/src/inscriptions.md. */
function envelope({
  body = 'test',
  mediaType = 'text/plain',
  coding,
  delegate,
  pointer,
  unknownTag,
}: InscriptionSpec): string {
  const field = (tag: number, value: Uint8Array) => push(Uint8Array.of(tag)) + push(value)
  const pointerBytes = new Uint8Array(new BigUint64Array([BigInt(pointer ?? 0)]).buffer)
  return [
    '0063',
    push(Buffer.from('ord')),
    field(1, Buffer.from(mediaType)),
    coding === undefined ? '' : field(9, Buffer.from(coding)),
    delegate === undefined ? '' : field(11, idBytes(delegate)),
    pointer === undefined ? '' : field(2, pointerBytes),
    unknownTag === undefined ? '' : field(unknownTag, Buffer.from('?')),
    body === null ? '' : `00${pushes(Buffer.from(body))}`,
    '68',
  ].join('')
}

/**
 * Makes inscriptions by commit and reveal and leaves both in the mempool. They arrive in output 0
 * of the reveal, which pays `to`; further outputs, when given, follow it.
 */
export async function inscribe(
  driver: ChainDriver,
  wallet: Wallet,
  to: TxOut,
  inscriptions: readonly InscriptionSpec[] = [{}],
  further: readonly TxOut[] = [],
): Promise<Inscribed> {
  const leaf = bytesOf(`20${hexOf(wallet.xonly)}ac${inscriptions.map(envelope).join('')}`)
  const { output, hash, witness } = payments.p2tr({
    internalPubkey: wallet.xonly,
    scriptTree: { output: leaf },
    redeem: { output: leaf, redeemVersion: 0xc0 },
  })
  const controlBlock = witness?.at(-1)
  if (output === undefined || hash === undefined || controlBlock === undefined)
    throw new Error('bitcoinjs made no script path for the commit')

  const outputs = [to, ...further]
  const value = outputs.reduce((sum, { valueSats }) => sum + BigInt(valueSats), REVEAL_FEE)
  const commit = wallet.pay([txOut(hexOf(output), value)])
  const reveal = unsigned({ inputs: [coinOf(commit, 0)], outputs })
  // With one leaf the root of the script tree is the leaf's own hash (BIP341).
  const digest = reveal.hashForWitnessV1(0, [output], [value], Transaction.SIGHASH_DEFAULT, hash)
  reveal.setWitness(0, [wallet.schnorr(digest), leaf, controlBlock])

  const transactionsHex = [commit.toHex(), reveal.toHex()] as const
  for (const hex of transactionsHex) await driver.submit(hex)
  return {
    ids: inscriptions.map((_, index) => `${reveal.getId()}i${index}`),
    coin: coinOf(reveal, 0),
    transactionsHex,
  }
}
