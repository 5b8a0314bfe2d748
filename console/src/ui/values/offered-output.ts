import type { OrderSummary } from 'psbt-market-client'

type Outpoint = OrderSummary['inspection']['inputOutpoints'][number]

/** The output that an order offers, among its inputs; null where what is shown of it does not say which. */
export function offeredOutput({
  assets: [asset],
  inspection: { inputOutpoints, inputWitnessUtxos },
  sellerScriptHex,
}: OrderSummary): Outpoint | null {
  if (asset) return asset.outpoint
  const candidates = inputOutpoints.filter(
    (_, at) =>
      inputOutpoints.length === 1 ||
      (sellerScriptHex !== undefined && inputWitnessUtxos[at]?.scriptHex === sellerScriptHex),
  )
  return candidates.length === 1 ? (candidates[0] ?? null) : null
}
