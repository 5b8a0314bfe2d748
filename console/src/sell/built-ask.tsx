import { useState } from 'preact/hooks'
import type { BuildAskResult } from 'psbt-market-client'
import { outpointText } from '../ui/forms/outpoints.ts'
import { PsbtHandoff } from '../ui/handoff/psbt-handoff.tsx'
import { Identifier } from '../ui/values/identifier.tsx'
import { NetNotice } from '../ui/values/net-notice.tsx'
import { EarlierNotice, GiftCheck } from './loss-notice.tsx'

/** An ask to sign, and the lowest price that its output was signed for before. */
export interface Built {
  ask: BuildAskResult
  signed: string | null
}

interface BuiltParts {
  built: Built
  next(): void
}

/** The PSBT on its way to the wallet; one that sells at a loss is handed out only as a gift. */
export function BuiltAsk({ built: { ask, signed }, next }: BuiltParts) {
  const { inspection, outpoint, psbt, nodeTip } = ask
  const paid = inspection.outputValuesSats[0] ?? '0'
  const held = inspection.inputWitnessUtxos[0]?.valueSats
  const isLoss = inspection.reasons.includes('payout_below_input')
  const [isGift, setGift] = useState(false)
  return (
    <>
      <p class="verdict">Built, and verified at block {nodeTip.height}.</p>
      <p>
        The output that you sell: <Identifier id={outpointText(outpoint)} name="output" />
      </p>
      {held !== undefined && <NetNotice paid={paid} held={held} />}
      <EarlierNotice outpoint={outpoint} paid={paid} signed={signed} />
      {isLoss && <GiftCheck isGift={isGift} change={setGift} />}
      {(isGift || !isLoss) && (
        <>
          <p>
            Sign input 0 with SINGLE|ANYONECANPAY in your wallet. The output’s own sats go to the
            buyer with the asset. Once published, anyone can buy it until the output is spent.
          </p>
          <PsbtHandoff psbt={psbt} name={`ask-${outpoint.txid}-${outpoint.vout}`} />
          <p class="row answer">
            <button type="button" onClick={next}>
              It is signed: publish it
            </button>
          </p>
        </>
      )}
    </>
  )
}
