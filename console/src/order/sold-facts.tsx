import type { OrderSummary } from 'psbt-market-client'
import { Identifier } from '../ui/values/identifier.tsx'
import { offeredOutput } from '../ui/values/offered-output.ts'
import { RunesHeld, runesIn } from './runes-in.tsx'
import { useVersions } from './versions.ts'

/** What is handed over, and how it was signed. */
export function SoldFacts({ order }: { order: OrderSummary }) {
  const { id, assets, inspection } = order
  const runes = runesIn(useVersions(id).data?.versions)
  const [asset] = assets
  const offered = offeredOutput(order)
  return (
    <dl class="facts">
      {asset && (
        <>
          <dt>Inscription</dt>
          <dd>
            {asset.inscriptionNumber ?? ''}{' '}
            <Identifier id={asset.inscriptionId} name="inscription" />
          </dd>
        </>
      )}
      {runes && <RunesHeld {...runes} />}
      {offered && (
        <>
          <dt>Output</dt>
          <dd>
            <Identifier id={`${offered.txid}:${offered.vout}`} name="output" />
          </dd>
        </>
      )}
      <dt>Signed as</dt>
      <dd>
        {inspection.orderClass.toLowerCase().replaceAll('_', ' ')}, signature{' '}
        {inspection.signatureStatus.toLowerCase()}
      </dd>
    </dl>
  )
}
