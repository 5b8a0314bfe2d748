import { act } from 'preact/test-utils'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { Buying } from '../../src/order/buy-steps.tsx'
import { applyTheme, keepTheme, readTheme } from '../../src/ui/shell/theme.ts'
import { lastWallet, setConnection } from '../../src/wallet/connected.ts'
import { connectWallet } from '../../src/wallet/connection.ts'
import { openDevnetWallet } from '../../src/wallet/devnet-wallet.ts'
import { orderOf } from '../orders.ts'
import { shown } from '../shown.tsx'
import { fakeWallet } from './fake-wallets.ts'
import { keyOf } from './keys.ts'

const refuse = () => {
  throw new DOMException('no', 'QuotaExceededError')
}
const full = { getItem: () => null, setItem: refuse }
const AREAS = ['localStorage', 'sessionStorage'] as const
const own = AREAS.map((area) => [area, Object.getOwnPropertyDescriptor(globalThis, area)] as const)

/** In a browser without room, reading gives nothing; in one that forbids it, the name itself throws. */
const BROWSERS = {
  'has no room left': () => full,
  'stores nothing for the page': refuse,
}

describe.each(Object.entries(BROWSERS))('in a browser that %s', (_, get) => {
  const forbid = () => {
    for (const area of AREAS) Object.defineProperty(globalThis, area, { get, configurable: true })
  }
  afterEach(async () => {
    for (const [area, before] of own) if (before) Object.defineProperty(globalThis, area, before)
    vi.unstubAllGlobals()
    await act(() => setConnection(null))
    applyTheme('system')
  })

  test('a wallet is connected on all pages, and none is offered first', async () => {
    const page = await shown(<Buying order={orderOf()} />)
    const fake = fakeWallet('xverse', [keyOf(1, 'p2tr'), keyOf(2, 'p2wpkh')])
    const connection = await connectWallet(fake.port, 'regtest')
    forbid()
    await act(() => setConnection(connection))
    expect(page.textContent).toContain('Connected: Xverse Wallet')
    expect(lastWallet()).toBeNull()
  })

  test('a theme holds for this visit, and the next begins with that of the system', () => {
    forbid()
    keepTheme('dark')
    expect(document.documentElement.dataset['theme']).toBe('dark')
    expect(readTheme()).toBe('system')
  })

  test('the devnet makes a wallet, which the tab forgets', async () => {
    vi.stubGlobal('fetch', async () => Response.json({}))
    forbid()
    expect((await openDevnetWallet()).name).toBe((await openDevnetWallet()).name)
  })
})
