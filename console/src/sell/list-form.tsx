import { lazy } from 'preact/compat'
import { useCatalog } from '../api/catalog.ts'
import { Waiting } from '../ui/awaited/waiting.tsx'
import { WalletSection } from '../ui/wallet-section.tsx'
import { ListSteps } from './list-steps.tsx'

const Selling = lazy(async () => (await import('./sell-steps.tsx')).Selling)

/** A listing by a wallet in the browser, or in three steps: build, sign elsewhere, publish. */
export function ListForm() {
  const query = useCatalog()
  const markets = query.data?.filter(({ capabilities }) => capabilities.createListing) ?? []
  const ofInscriptions = markets.filter(
    ({ assetRequirement }) => assetRequirement === 'INSCRIPTION',
  )
  return (
    <>
      <Waiting query={query} />
      {ofInscriptions.length > 0 && (
        <WalletSection id="sell" title="Sell with your wallet">
          <Selling markets={ofInscriptions} />
        </WalletSection>
      )}
      <ListSteps markets={markets} />
    </>
  )
}
