import { script as bitcoinScript, payments, Transaction } from 'bitcoinjs-lib'
import * as ecc from 'tiny-secp256k1'
import type { Devnet } from '../../../src/devnet/devnet.ts'
import { orderIdOf } from '../../../src/domain/order/order-id.ts'
import { partitionOf } from '../../../src/domain/order/partition.ts'
import { inspectPsbt } from '../../../src/domain/verdict/inspect.ts'
import type { NewRecord } from '../../../src/ports/log/event-log.ts'
import { type ImportCommand, LOG_SCHEMA, TOPICS } from '../../../src/schemas/log.ts'
import type { Outpoint } from '../../../src/schemas/scalars.ts'
import { secretOf } from '../chain/keys.ts'

/** Outputs of one funding transaction: 62 kvB, well below the 100 kvB that are relayed. */
const OUTPUTS = 2_000
const COIN_SATS = 10_000n
const FEE_SATS = 200_000n
const SELLERS = 50
const MARKETS = ['rare-sats', 'rare-satoshis', undefined]
const SEQUENCE = 0xfffffffd
const ASK = Transaction.SIGHASH_SINGLE | Transaction.SIGHASH_ANYONECANPAY

interface Seller {
  script: Buffer
  /** The input's signature for this transaction, as its final witness. */
  witness(transaction: Transaction): Uint8Array[]
}

export interface OfferedCoin {
  outpoint: Outpoint
  seller: number
}

const sellers: readonly Seller[] = Array.from({ length: SELLERS }, (_, at) =>
  at % 2 === 0 ? taprootSeller(at) : segwitSeller(at),
)

/**
 * Coins for this many orders, of many sellers, mined: real outputs, many to a transaction. The last
 * block holds only those of the last transaction.
 */
export function fundBook(devnet: Devnet, orders: number, outputs = OUTPUTS): OfferedCoin[] {
  const coins: OfferedCoin[] = []
  while (coins.length < orders) {
    const count = Math.min(outputs, orders - coins.length)
    const from = coins.length
    const transaction = split(devnet, count, from)
    const txid = devnet.submit(transaction.toHex())
    devnet.mine(1)
    for (let vout = 0; vout < count; vout += 1)
      coins.push({ outpoint: { txid, vout }, seller: (from + vout) % SELLERS })
  }
  return coins
}

/** Signed transactions that concern no order, to be submitted: each spends a coin of its own. */
export const burstOf = (devnet: Devnet, transactions: number): string[] =>
  fundBook(devnet, transactions).map((coin) => spendOf(coin, 1_000n))

/** A signed transaction that spends a coin, hex: one with a higher fee replaces it. */
export function spendOf({ outpoint, seller: at }: OfferedCoin, feeSats: bigint): string {
  const seller = sellers[at]
  if (!seller) throw new Error(`there is no seller ${at}`)
  const transaction = spending(outpoint)
  transaction.addOutput(seller.script, COIN_SATS - feeSats)
  transaction.setWitness(0, seller.witness(transaction))
  return transaction.toHex()
}

function split(devnet: Devnet, count: number, from: number): Transaction {
  const funded = devnet.fund(PAYER, neededFor(count))
  return splitOf(funded, count, (at) => from + at)
}

/** The script of whoever pays for the coins of a book, hex, */
export const PAYER = payerScript().toString('hex')
/** and the value of the output that so many of them take. */
export const neededFor = (count: number): bigint => BigInt(count) * COIN_SATS + FEE_SATS

/** The signed transaction that makes so many coins of an output of the payer; the seller of each, by its vout. */
export function splitOf(
  funded: Outpoint,
  count: number,
  sellerOf: (vout: number) => number,
): Transaction {
  const transaction = spending(funded)
  for (let vout = 0; vout < count; vout += 1)
    transaction.addOutput(sellers[sellerOf(vout) % SELLERS]?.script ?? payerScript(), COIN_SATS)
  const digest = transaction.hashForWitnessV1(
    0,
    [payerScript()],
    [neededFor(count)],
    Transaction.SIGHASH_ALL,
  )
  const signature = ecc.signSchnorr(digest, secretOf('book/0'))
  transaction.setWitness(0, [Buffer.concat([signature, Buffer.of(Transaction.SIGHASH_ALL)])])
  return transaction
}

function payerScript(): Buffer {
  const [payer] = sellers
  if (!payer) throw new Error('there are sellers')
  return payer.script
}

function spending({ txid, vout }: Outpoint): Transaction {
  const transaction = new Transaction()
  transaction.version = 2
  transaction.addInput(Buffer.from(txid, 'hex').reverse(), vout, SEQUENCE)
  return transaction
}

/** The inbox record that imports a signed ask for this coin: as the gateway appends it. */
export function importOf(coin: OfferedCoin, at: number, partitions: number): NewRecord {
  const inspected = inspectPsbt(signedAsk(coin, BigInt(20_000 + ((at * 7_919) % 1_000_000))))
  const { artifact, inspection, offer, claimedPrevout, digest } = inspected
  const now = new Date().toISOString()
  const protocolId = MARKETS[at % MARKETS.length]
  const value: ImportCommand = {
    schema: LOG_SCHEMA,
    kind: 'command',
    command: 'import',
    requestId: `book-${coin.outpoint.txid}-${coin.outpoint.vout}`,
    orderId: orderIdOf('regtest', inspected),
    outpoint: offer.outpoint,
    at: now,
    claim: {
      artifact,
      inspection,
      offer,
      claimedPrevout,
      source: { source: 'direct-import', sourceId: digest, observedAt: now },
      ...(protocolId === undefined ? {} : { protocolId, token: `item ${at % 1_000}` }),
      notes: [],
    },
  }
  const partition = partitionOf(offer.outpoint, partitions)
  return { topic: TOPICS.inbox, partition, key: offer.outpoint, value }
}

/**
 * A signed ask for this coin, base64: a PSBT of one input and one output, written field by field
 * (BIP174), since the libraries' classes take milliseconds for each, too long for 100,000 orders.
 */
export function signedAsk({ outpoint, seller: at }: OfferedCoin, priceSats: bigint): string {
  const seller = sellers[at]
  if (!seller) throw new Error(`there is no seller ${at}`)
  const transaction = spending(outpoint)
  transaction.addOutput(seller.script, priceSats)
  const witness = seller.witness(transaction)
  const utxo = Buffer.concat([uint64(COIN_SATS), sized(seller.script)])
  const final = Buffer.concat([Buffer.of(witness.length), ...witness.map(sized)])
  return Buffer.concat([
    Buffer.from('70736274ff', 'hex'),
    field(0x00, transaction.toBuffer()),
    Buffer.of(0),
    field(0x01, utxo),
    field(0x08, final),
    Buffer.of(0, 0),
  ]).toString('base64')
}

function taprootSeller(at: number): Seller {
  const secret = secretOf(`book/${at}`)
  const script = Buffer.from([0x51, 0x20, ...ecc.xOnlyPointFromScalar(secret)])
  return {
    script,
    witness: (transaction) => {
      const digest = transaction.hashForWitnessV1(0, [script], [COIN_SATS], ASK)
      return [Buffer.concat([ecc.signSchnorr(digest, secret), Buffer.of(ASK)])]
    },
  }
}

function segwitSeller(at: number): Seller {
  const secret = secretOf(`book/${at}`)
  const publicKey = ecc.pointFromScalar(secret, true) ?? new Uint8Array()
  const { output, hash } = payments.p2wpkh({ pubkey: publicKey })
  const script = Buffer.from(output ?? [])
  const code = Buffer.concat([
    Buffer.from('76a914', 'hex'),
    hash ?? new Uint8Array(),
    Buffer.from('88ac', 'hex'),
  ])
  return {
    script,
    witness: (transaction) => {
      const digest = transaction.hashForWitnessV0(0, code, COIN_SATS, ASK)
      return [bitcoinScript.signature.encode(ecc.sign(digest, secret), ASK), publicKey]
    },
  }
}

const field = (type: number, value: Uint8Array): Buffer =>
  Buffer.concat([Buffer.of(1, type), sized(value)])

/** With a compact size before it: no field here is longer than 252 bytes. */
const sized = (value: Uint8Array): Buffer => Buffer.concat([Buffer.of(value.length), value])

function uint64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value)
  return bytes
}
