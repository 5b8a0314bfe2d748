import type { Outpoint, TxOut } from '../../schemas/scalars.ts'
import { pointerScript } from '../assets/runestone.ts'
import { type FeeRate, feeAt } from '../chain/fee-rate.ts'
import { type SpendSize, transactionVbytes } from '../script/input-weight.ts'
import { dustThreshold, MAX_TRUC_VBYTES, TRUC_VERSION } from '../script/relay.ts'

/** An output that the purchase spends, and the size of its spend. */
export interface PurchaseInput {
  outpoint: Outpoint
  output: TxOut
  spend: SpendSize
}

export interface PurchaseTerms {
  seller: PurchaseInput
  payout: TxOut
  /** Two, so that the seller's input and the payout are at the same index (0x83 pairs them). */
  paddings: readonly [PurchaseInput, PurchaseInput]
  funding: readonly PurchaseInput[]
  /** Where the asset goes. */
  receiveScriptHex: string
  /** Where the merged paddings and the change go. */
  paymentScriptHex: string
  /** The offered output holds, or may hold, runes: a message sends them where the asset goes. */
  movesRunes: boolean
  feeRate: FeeRate
  /** nVersion, the seller's. */
  version: number
}

/** Every amount in sats. */
export interface PurchaseLayout {
  outcome: 'laid-out'
  inputs: PurchaseInput[]
  outputs: TxOut[]
  vbytes: bigint
  feeSats: bigint
  /** 0: there is no change output. */
  changeSats: bigint
  /** Change too small to relay, added to the fee. */
  foldedSats: bigint
  paddingSats: bigint
}

export interface InsufficientFunds {
  outcome: 'insufficient-funds'
  shortfallSats: bigint
}

export type LayoutRefusal =
  | InsufficientFunds
  | { outcome: 'too-large'; vbytes: bigint; mostVbytes: bigint }
  | { outcome: 'dust'; output: 'merged padding' | 'asset'; sats: bigint; leastSats: bigint }

/** The index of the seller's input and of its payout. */
export const SELLER_INDEX = 2
/** The output that the asset goes to. */
export const ASSET_OUTPUT = 1

/**
 * Lays out a purchase (docs/design/purchases.md#quote): inputs [padding, padding, seller,
 * funding…], outputs [merged padding, asset, payout, change, message]. The paddings' sats fill the
 * first output and the seller's the second, so every asset keeps its offset; the payout is paid by
 * the funding alone. Runes would go to the first output: if there may be some, a message sends them
 * to the second.
 */
export function layOutPurchase(terms: PurchaseTerms): PurchaseLayout | LayoutRefusal {
  const layout = layOut(terms)
  if (layout.outcome !== 'laid-out' || terms.version !== TRUC_VERSION) return layout
  const { vbytes } = layout
  if (vbytes <= MAX_TRUC_VBYTES) return layout
  return { outcome: 'too-large', vbytes, mostVbytes: BigInt(MAX_TRUC_VBYTES) }
}

function layOut(terms: PurchaseTerms): PurchaseLayout | LayoutRefusal {
  const { seller, payout, paddings, funding, receiveScriptHex, paymentScriptHex, feeRate } = terms
  const inputs = [...paddings, seller, ...funding]
  const paddingSats = totalOf(paddings.map(({ output }) => output))
  const merged = { valueSats: paddingSats.toString(), scriptHex: paymentScriptHex }
  const asset = { valueSats: seller.output.valueSats, scriptHex: receiveScriptHex }
  const dust = dustIn(merged, 'merged padding') ?? dustIn(asset, 'asset')
  if (dust) return dust

  const outputs = [merged, asset, payout]
  const message = terms.movesRunes
    ? [{ valueSats: '0', scriptHex: pointerScript(ASSET_OUTPUT) }]
    : []
  const available = totalOf(funding.map(({ output }) => output)) - BigInt(payout.valueSats)
  const sizeOf = (all: readonly { scriptHex: string }[]) =>
    transactionVbytes(
      inputs.map(({ spend }) => spend),
      all.map(({ scriptHex }) => scriptHex),
    )
  const withChange = sizeOf([...outputs, merged, ...message])
  const changeSats = available - feeAt(feeRate, withChange)
  if (changeSats >= dustThreshold(paymentScriptHex)) {
    const change = { valueSats: changeSats.toString(), scriptHex: paymentScriptHex }
    const feeSats = available - changeSats
    return conserving({
      outcome: 'laid-out',
      inputs,
      outputs: [...outputs, change, ...message],
      vbytes: withChange,
      feeSats,
      changeSats,
      foldedSats: 0n,
      paddingSats,
    })
  }
  const withoutChange = [...outputs, ...message]
  const vbytes = sizeOf(withoutChange)
  const foldedSats = available - feeAt(feeRate, vbytes)
  if (foldedSats < 0n) return { outcome: 'insufficient-funds', shortfallSats: -foldedSats }
  const sums = { feeSats: available, changeSats: 0n, foldedSats, paddingSats }
  return conserving({ outcome: 'laid-out', inputs, outputs: withoutChange, vbytes, ...sums })
}

function dustIn({ valueSats, scriptHex }: TxOut, output: 'merged padding' | 'asset') {
  const leastSats = dustThreshold(scriptHex)
  const sats = BigInt(valueSats)
  return sats < leastSats ? { outcome: 'dust' as const, output, sats, leastSats } : null
}

/** A transaction whose own inputs pay its outputs and its fee. Every amount in sats. */
export type SpendLayout = Omit<PurchaseLayout, 'paddingSats'>

/** What is left goes to a last output, or to the fee where that would be dust. */
export function withChange({
  inputs,
  outputs,
  changeScriptHex,
  feeRate,
}: Pick<SpendLayout, 'inputs' | 'outputs'> & {
  changeScriptHex: string
  feeRate: FeeRate
}): SpendLayout | InsufficientFunds {
  const available = totalOf(inputs.map(({ output }) => output)) - totalOf(outputs)
  const sizeWith = (...scripts: string[]) =>
    transactionVbytes(
      inputs.map(({ spend }) => spend),
      [...outputs.map(({ scriptHex }) => scriptHex), ...scripts],
    )
  const vbytesWithChange = sizeWith(changeScriptHex)
  const changeSats = available - feeAt(feeRate, vbytesWithChange)
  if (changeSats >= dustThreshold(changeScriptHex)) {
    const change = { valueSats: changeSats.toString(), scriptHex: changeScriptHex }
    return conserving({
      outcome: 'laid-out',
      inputs,
      outputs: [...outputs, change],
      vbytes: vbytesWithChange,
      feeSats: available - changeSats,
      changeSats,
      foldedSats: 0n,
    })
  }
  const vbytes = sizeWith()
  const foldedSats = available - feeAt(feeRate, vbytes)
  if (foldedSats < 0n) return { outcome: 'insufficient-funds', shortfallSats: -foldedSats }
  const sums = { feeSats: available, changeSats: 0n, foldedSats }
  return conserving({ outcome: 'laid-out', inputs, outputs, vbytes, ...sums })
}

/** Throws unless sum(in) = sum(out) + fee: no other layout is ever returned. */
export function conserving<
  Layout extends Pick<PurchaseLayout, 'outcome' | 'inputs' | 'outputs' | 'feeSats'>,
>(layout: Layout): Layout {
  const spent = totalOf(layout.inputs.map(({ output }) => output))
  const made = totalOf(layout.outputs)
  if (spent !== made + layout.feeSats) {
    throw new Error(`a layout spends ${spent} sats and makes ${made} with ${layout.feeSats} fee`)
  }
  return layout
}

export const totalOf = (outputs: readonly TxOut[]): bigint =>
  outputs.reduce((sum, { valueSats }) => sum + BigInt(valueSats), 0n)
