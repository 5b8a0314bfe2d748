import type { ComponentChildren } from 'preact'
import { Suspense } from 'preact/compat'

interface WalletSectionParts {
  id: string
  title: string
  /** Loaded after the page: it holds all that speaks to wallets. */
  children: ComponentChildren
}

/** A card whose act needs a wallet; its room is kept while the code is loaded. */
export const WalletSection = ({ id, title, children }: WalletSectionParts) => (
  <section class="card wallet" aria-labelledby={id}>
    <h2 id={id}>{title}</h2>
    <Suspense fallback={<p class="quiet">Looking for wallets…</p>}>{children}</Suspense>
  </section>
)
