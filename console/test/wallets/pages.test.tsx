import { act } from 'preact/test-utils'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Buying } from '../../src/order/buy-steps.tsx'
import { setConnection } from '../../src/wallet/connected.ts'
import { connectWallet } from '../../src/wallet/connection.ts'
import { orderOf } from '../orders.ts'
import { shown } from '../shown.tsx'
import { fakeWallet } from './fake-wallets.ts'
import { keyOf } from './keys.ts'

const PATIENT = { timeout: 20_000 }

test('a wallet with one address is asked for another, and only the name of a wallet is kept', async () => {
  const fake = fakeWallet('unisat', [keyOf(2, 'p2wpkh')])
  setConnection(await connectWallet(fake.port, 'regtest'))
  const page = await shown(<Buying order={orderOf()} />)
  expect(page.querySelector('input[name="assetReceiveAddress"]')?.hasAttribute('required')).toBe(
    true,
  )
  expect(page.textContent).toContain('the asset must not go where the change goes')
  expect({ ...localStorage }).toEqual({ wallet: 'UniSat' })

  await act(() => fake.tell('account'))
  expect(page.querySelector('[role="alert"]')?.textContent).toBe(
    'The account of UniSat changed: connect again.',
  )
})

test('one with two addresses fills them in', async () => {
  const fake = fakeWallet('xverse', [keyOf(1, 'p2tr'), keyOf(2, 'p2wpkh')])
  setConnection(await connectWallet(fake.port, 'regtest'))
  const page = await shown(<Buying order={orderOf()} />)
  expect(page.querySelector('input[name="assetReceiveAddress"]')).toBeNull()
  expect(page.textContent).toContain('Connected: Xverse Wallet')
})

test('a wallet that hangs while it connects can be left, and what it answers later connects nothing', {
  timeout: 60_000,
}, async () => {
  await act(() => setConnection(null))
  let answer: (accounts: string[]) => void = () => {}
  const accounts = new Promise<string[]>((resolve) => {
    answer = resolve
  })
  let isLast = () => {}
  const last = new Promise<void>((resolve) => {
    isLast = resolve
  })
  const { page: put } = fakeWallet('unisat', [keyOf(2, 'p2wpkh')])
  const unisat = {
    ...(put['unisat'] as object),
    requestAccounts: () => accounts,
    getChain: async () => {
      isLast()
      return { enum: 'BITCOIN_REGTEST' }
    },
  }
  Object.assign(window, { unisat })
  onTestFinished(() => void Reflect.deleteProperty(window, 'unisat'))
  const page = await shown(<Buying order={orderOf()} />, [[['health'], { network: 'regtest' }]])
  const button = (text: string) =>
    [...page.querySelectorAll('button')].find(({ textContent }) => textContent === text)
  const click = async (text: string) => {
    await vi.waitFor(() => expect(button(text)).toBeDefined(), PATIENT)
    await act(() => button(text)?.click())
  }
  await click('Connect UniSat')
  await click('Stop waiting')
  await vi.waitFor(() => expect(button('Stop waiting')).toBeUndefined(), PATIENT)
  expect(button('Connect UniSat')?.hasAttribute('disabled')).toBe(false)
  await act(async () => {
    answer([keyOf(2, 'p2wpkh').address])
    await last
    // All that follows the last answer of the wallet has run in the next turn.
    await new Promise((next) => setTimeout(next))
  })
  expect(button('Connect UniSat')).toBeDefined()
  expect(page.textContent).not.toContain('Connected')
})
