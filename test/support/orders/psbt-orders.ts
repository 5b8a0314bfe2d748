import { createHash } from 'node:crypto'
import { Transaction } from '@scure/btc-signer'
import { initEccLib, Psbt } from 'bitcoinjs-lib'
import * as ecc from 'tiny-secp256k1'
import type { Outpoint, TxOut } from '../../../src/schemas/scalars.ts'
import { type ScriptKind, type Wallet, walletOf } from '../chain/keys.ts'
import { toTxid } from '../ids.ts'

// Orders as sellers and bidders make them, signed by another library than the one that judges them.

initEccLib(ecc)

type ScureInput = ReturnType<Transaction['getInput']>

export const SINGLE_ANYONECANPAY = 0x83
const SEQUENCE = 0xfffffffd

const ANY_CONTENT = {
  allowUnknown: true,
  allowUnknownVersion: true,
  allowUnknownInputs: true,
  allowUnknownOutputs: true,
  disableScriptCheck: true,
  allowLegacyWitnessUtxo: true,
}

export interface AskOptions {
  script?: ScriptKind
  /** Seed of the seller's keys. */
  seed?: string
  prevout?: Outpoint & { valueSats: string }
  payout?: TxOut
  sighash?: number
  /** Final scripts in place of partial signatures: most asks in the wild have them. */
  finalised?: boolean
  /** How many inputs, and outputs, precede the seller's, for a buyer to replace. */
  placeholders?: number
  /** The taproot signature lacks its last byte, as seen in the wild. */
  omitSighashByte?: boolean
  unsigned?: boolean
  version?: number
  locktime?: number
  sequence?: number
  /** What the PSBT includes of its prevout; null: nothing. */
  claimedUtxo?: TxOut | null
  sighashField?: number
  psbtVersion?: 0 | 2
}

export interface MadeAsk {
  /** Base64. */
  psbt: string
  outpoint: Outpoint
  /** As the node knows it. */
  prevout: TxOut
  payout: TxOut
  sellerIndex: number
  seller: Wallet
}

export const DEFAULT_PREVOUT = { ...outpointOf('asset'), valueSats: '10000' }

/** A signed ask. A signature of 0x83 is made over the seller's part alone, then inserted. */
export function makeAsk(options: AskOptions = {}): MadeAsk {
  const {
    script = 'p2tr',
    seed = 'seller',
    prevout: { valueSats, ...outpoint } = DEFAULT_PREVOUT,
    sighash = SINGLE_ANYONECANPAY,
    finalised = true,
    placeholders = 0,
    version = 2,
    locktime = 0,
    sequence = SEQUENCE,
    psbtVersion = 0,
  } = options
  const seller = walletOf(script, seed)
  const payout = options.payout ?? {
    valueSats: '25000',
    scriptHex: walletOf('p2wpkh', `${seed}/payout`).scriptHex,
  }
  const prevout = { valueSats, scriptHex: seller.scriptHex }

  const half = new Transaction({ ...ANY_CONTENT, version, lockTime: locktime })
  addInput(half, { outpoint, output: prevout, wallet: seller, sequence, sighash })
  addOutput(half, payout)
  if (options.unsigned !== true) sign(half, 0, seller, sighash)
  const isFinal = finalised && options.unsigned !== true
  const input = isFinal ? finaliseInputs(half, [0]).getInput(0) : half.getInput(0)
  const signed = options.omitSighashByte ? withoutSighashByte(input) : input

  const whole = new Transaction({
    ...ANY_CONTENT,
    version,
    lockTime: locktime,
    PSBTVersion: psbtVersion,
  })
  for (let n = 0; n < placeholders; n += 1) {
    whole.addInput({ ...txidAndIndex(outpointOf(`placeholder ${n}`)), sequence: 0xffffffff })
    addOutput(whole, { valueSats: '0', scriptHex: walletOf('p2wpkh', 'placeholder').scriptHex })
  }
  const { witnessUtxo, sighashType, ...rest } = signed
  const claimed = options.claimedUtxo === undefined ? witnessUtxo : utxoOf(options.claimedUtxo)
  const field = options.sighashField ?? (finalised ? undefined : sighashType)
  whole.addInput(
    {
      ...rest,
      ...(claimed && { witnessUtxo: claimed }),
      ...(field !== undefined && { sighashType: field }),
    },
    true,
  )
  addOutput(whole, payout)
  return {
    psbt: base64(whole.toPSBT(psbtVersion)),
    outpoint,
    prevout,
    payout,
    sellerIndex: placeholders,
    seller,
  }
}

export interface FundingOptions {
  script?: ScriptKind
  seed?: string
  valueSats?: string
  outpoint?: Outpoint
}

export interface BidOptions {
  /** The owner of the asset it bids for. */
  seller?: Wallet
  prevout?: Outpoint & { valueSats: string }
  /** What the seller gets in addition to the value of the asset's own output; may be negative. */
  priceSats?: string
  /** Whom the bid pays for the asset: by default its owner. */
  payTo?: string
  feeSats?: string
  funding?: readonly FundingOptions[]
  /** ALL, or DEFAULT for taproot. */
  sighash?: number
  finalised?: boolean
  /** The position of the asset's input. */
  sellerIndex?: number
  /** The PSBT lacks the asset's output. */
  omitAssetUtxo?: boolean
  version?: number
  locktime?: number
  /** Scripts of outputs without value, after all others. */
  data?: readonly string[]
}

export interface MadeBid {
  psbt: string
  outpoint: Outpoint
  prevout: TxOut
  sellerIndex: number
  funding: { outpoint: Outpoint; output: TxOut; wallet: Wallet }[]
}

/**
 * A bid as `ord wallet offer create` makes it: all but the asset's input signed, for everything.
 */
export function makeBid(options: BidOptions = {}): MadeBid {
  const {
    seller = walletOf('p2tr', 'seller'),
    prevout: { valueSats, ...outpoint } = DEFAULT_PREVOUT,
    priceSats = '50000',
    feeSats = '1000',
    finalised = true,
    sellerIndex = 0,
    version = 2,
    locktime = 0,
  } = options
  const prevout = { valueSats, scriptHex: seller.scriptHex }
  const funding = (options.funding ?? [{}]).map((coin, n) => {
    const wallet = walletOf(coin.script ?? 'p2wpkh', coin.seed ?? 'bidder')
    return {
      outpoint: coin.outpoint ?? outpointOf(`funding ${n}`),
      output: { valueSats: coin.valueSats ?? '100000', scriptHex: wallet.scriptHex },
      wallet,
    }
  })
  const inputs: (Omit<(typeof funding)[number], 'wallet'> & { wallet: Wallet | null })[] = [
    ...funding.slice(0, sellerIndex),
    { outpoint, output: prevout, wallet: null },
    ...funding.slice(sellerIndex),
  ]
  const bidder = walletOf('p2wpkh', 'bidder').scriptHex
  const funds = funding.reduce((sum, { output }) => sum + BigInt(output.valueSats), 0n)
  const change = funds - BigInt(valueSats) - BigInt(priceSats) - BigInt(feeSats)

  const tx = new Transaction({ ...ANY_CONTENT, version, lockTime: locktime })
  for (const input of inputs) {
    addInput(tx, { ...input, sequence: SEQUENCE, sighash: sighashFor(input.wallet, options) })
  }
  addOutput(tx, { valueSats, scriptHex: bidder })
  addOutput(tx, {
    valueSats: String(BigInt(valueSats) + BigInt(priceSats)),
    scriptHex: options.payTo ?? seller.scriptHex,
  })
  if (change > 0n) addOutput(tx, { valueSats: change.toString(), scriptHex: bidder })
  for (const scriptHex of options.data ?? []) addOutput(tx, { valueSats: '0', scriptHex })
  inputs.forEach(({ wallet }, at) => {
    if (!wallet) return
    sign(tx, at, wallet, sighashFor(wallet, options))
  })
  const signed = inputs.flatMap(({ wallet }, at) => (wallet ? [at] : []))
  const psbt = Psbt.fromBuffer((finalised ? finaliseInputs(tx, signed) : tx).toPSBT())
  if (options.omitAssetUtxo) delete psbt.data.inputs[sellerIndex]!.witnessUtxo
  return { psbt: psbt.toBase64(), outpoint, prevout, sellerIndex, funding }
}

/** An outpoint derived from a label. */
export function outpointOf(label: string, vout = 0): Outpoint {
  return { txid: toTxid(createHash('sha256').update(`market/test/${label}`).digest('hex')), vout }
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
const bytesOf = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'))
const utxoOf = (output: TxOut | null) =>
  output && { script: bytesOf(output.scriptHex), amount: BigInt(output.valueSats) }
const txidAndIndex = ({ txid, vout }: Outpoint) => ({ txid, index: vout })

const sighashFor = (wallet: Wallet | null, { sighash }: BidOptions): number =>
  sighash ?? (wallet?.kind === 'p2tr' || wallet?.kind === 'tapscript' ? 0x00 : 0x01)

interface InputSpec {
  outpoint: Outpoint
  output: TxOut
  wallet: Wallet | null
  sequence: number
  sighash: number
}

function addInput(tx: Transaction, { outpoint, output, wallet, sequence, sighash }: InputSpec) {
  tx.addInput(
    {
      ...txidAndIndex(outpoint),
      sequence,
      witnessUtxo: utxoOf(output)!,
      ...(wallet ? { ...wallet.fields, sighashType: sighash } : {}),
    },
    true,
  )
}

const addOutput = (tx: Transaction, { valueSats, scriptHex }: TxOut) =>
  tx.addOutput({ script: bytesOf(scriptHex), amount: BigInt(valueSats) }, true)

function sign(tx: Transaction, at: number, { secrets }: Wallet, sighash: number): void {
  for (const secret of secrets) tx.signIdx(secret, at, [sighash])
}

/** By another library, which does not check the fee of a half. */
function finaliseInputs(tx: Transaction, inputs: readonly number[]): Transaction {
  const psbt = Psbt.fromBuffer(tx.toPSBT())
  for (const at of inputs) psbt.finalizeInput(at)
  return Transaction.fromPSBT(psbt.toBuffer(), ANY_CONTENT)
}

function withoutSighashByte(input: ScureInput): ScureInput {
  const shorter = (signature: Uint8Array) => signature.slice(0, 64)
  return {
    ...input,
    ...(input.tapKeySig && { tapKeySig: shorter(input.tapKeySig) }),
    ...(input.tapScriptSig && {
      tapScriptSig: input.tapScriptSig.map(([key, value]) => [key, shorter(value)] as const),
    }),
    ...(input.finalScriptWitness && {
      finalScriptWitness: input.finalScriptWitness.map((item) =>
        item.length === 65 ? shorter(item) : item,
      ),
    }),
  } as ScureInput
}
