import { act } from 'preact/test-utils'
import { expect, test } from 'vitest'
import { Buying } from '../../src/order/buy-steps.tsx'
import { setConnection } from '../../src/wallet/connected.ts'
import { connectWallet } from '../../src/wallet/connection.ts'
import { shown } from '../shown.tsx'
import { fakeWallet } from './fake-wallets.ts'
import { keyOf } from './keys.ts'

test('a wallet with one address is asked for another, and only the name of a wallet is kept', async () => {
  const fake = fakeWallet('unisat', [keyOf(2, 'p2wpkh')])
  setConnection(await connectWallet(fake.port, 'regtest'))
  const page = await shown(<Buying orderId={'a'.repeat(64)} />)
  expect(page.querySelector('input[name="receive"]')?.hasAttribute('required')).toBe(true)
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
  const page = await shown(<Buying orderId={'a'.repeat(64)} />)
  expect(page.querySelector('input[name="receive"]')).toBeNull()
  expect(page.textContent).toContain('Connected: Xverse Wallet')
})
