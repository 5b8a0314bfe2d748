import { hex } from '@scure/base'
import type { Page } from 'playwright-core'
import { type Fake, fakeWallet } from '../../../console/test/wallets/fake-wallets.ts'
import { type Key, keyOf } from '../../../console/test/wallets/keys.ts'
import { proveOwnership } from '../orders/ownership-proof.ts'

/** A wallet with keys of its own: what it signs, a node accepts. */
export interface PageWallet extends Fake {
  assets: Key
  payments: Key
}

/** A wallet in Xverse's shape; `seed` is a byte. */
export function pageWallet(seed: number): PageWallet {
  const [assets, payments] = [keyOf(seed, 'p2tr'), keyOf(seed + 1, 'p2wpkh')]
  return Object.assign(fakeWallet('xverse', [assets, payments], { proves: proof, holds: [] }), {
    assets,
    payments,
  })
}

const proof = ({ kind, secret, script, publicKey }: Key, message: string): string =>
  proveOwnership(
    {
      kind: kind === 'p2tr' ? kind : 'p2wpkh',
      scriptHex: hex.encode(script),
      secrets: [secret],
      fields: kind === 'p2tr' ? { tapInternalKey: hex.decode(publicKey) } : {},
    },
    message,
  ).text

type Provider = Record<'request', (method: string, params: never) => Promise<unknown>>

/** Puts the wallet into what is opened in the page next: its keys and its code stay with the test. */
export async function putIntoPage(page: Page, { page: put }: PageWallet): Promise<void> {
  const { BitcoinProvider } = put['XverseProviders'] as { BitcoinProvider: Provider }
  await page.exposeFunction('askWallet', (method: string, params: never) =>
    BitcoinProvider.request(method, params),
  )
  await page.addInitScript(`
    window.btc_providers = ${JSON.stringify(put['btc_providers'])}
    window.XverseProviders = {
      BitcoinProvider: { request: window.askWallet, addListener: () => () => {} },
    }
  `)
}
