import { Transaction } from '@scure/btc-signer'
import { describe, expect, test } from 'vitest'
import { outpointText } from '../../../src/domain/chain/outpoint.ts'
import { addressOfScript } from '../../../src/domain/script/address.ts'
import { walletOf } from '../../support/chain/keys.ts'
import type { ConsoleSite } from '../../support/console/console-site.ts'
import { signedHex } from '../../support/market/sign-all.ts'
import { devnetOf } from '../../support/market/trader.ts'
import { proveOwnership } from '../../support/orders/ownership-proof.ts'

export function sellerActs(site: ConsoleSite): void {
  describe('a seller', () => {
    const seller = walletOf('p2wpkh', 'console')
    const address = addressOfScript(seller.scriptHex, 'regtest') ?? ''

    test('builds, signs elsewhere, publishes, withdraws by a proof, and ends the signature', async () => {
      const body = Buffer.from('from the page')
      const terms = { contentType: 'text/plain', body, postage: 10_000n }
      const { inscriptionId, outpoint } = devnetOf(site.market).inscribe(address, terms)
      const { page, complaints } = await site.visit('/console/sell')
      await page.getByLabel('Token').fill('from the page')
      await page.getByLabel('Inscription id').fill(inscriptionId)
      await page.getByLabel('Output that is sold').fill(outpointText(outpoint))
      await page.getByLabel('Price paid to you').fill('0.0006 BTC')
      await page.getByText(/receive 60.000 sats .* 50.000 sats net/).waitFor()
      await page.getByLabel('Address that is paid').fill(address)
      await page.getByRole('button', { name: 'Build' }).click()
      const built = await page.getByLabel('PSBT, base64', { exact: true }).inputValue()
      await page.getByRole('button', { name: 'It is signed: publish it' }).click()
      const half = Transaction.fromPSBT(Buffer.from(built, 'base64'))
      for (const secret of seller.secrets) half.signIdx(secret, 0, [0x83])
      await page.getByLabel('Signed PSBT').fill(Buffer.from(half.toPSBT()).toString('base64'))
      await page.getByRole('button', { name: 'Publish', exact: true }).click()
      await page.getByRole('link', { name: 'your order' }).click()
      await page.getByText('Proved: the offered output is unspent').waitFor()
      await page.getByText('Not examined: runes.').waitFor()

      await page.getByRole('link', { name: 'Withdraw it as its seller' }).click()
      await page.getByRole('button', { name: 'Get the message' }).click()
      const message = await page.getByLabel('Message').inputValue()
      await page.getByLabel('Signature').fill(proveOwnership(seller, message).text)
      await page.getByRole('button', { name: 'Withdraw', exact: true }).click()
      await page.locator('.verdict .badge').filter({ hasText: 'withdrawn' }).waitFor()

      await page.goto(`${site.market.address}/console/sell/outputs?of=${outpointText(outpoint)}`)
      await page.getByText('can be taken now').waitFor()
      await page.getByRole('link', { name: 'Safe to spend' }).click()
      await page.getByLabel('Up to 100 outputs').fill(outpointText(outpoint))
      await page.getByRole('button', { name: 'Check outputs' }).click()
      await page.getByRole('cell', { name: 'no', exact: true }).waitFor()
      await page.getByRole('link', { name: 'Exposure' }).click()
      await page.getByLabel('Output (TXID:VOUT) or address').fill(inscriptionId)
      await page.getByRole('button', { name: 'Show' }).click()
      await page.getByText('can be taken now').waitFor()
      await page.getByLabel('Output (TXID:VOUT) or address').fill(address)
      await page.getByRole('button', { name: 'Show' }).click()
      await page.getByRole('link', { name: /^Exposure of/ }).click()

      await page.getByText('Or sign elsewhere').click()
      await page.getByLabel('Address of yours that receives the output').fill(address)
      await page.getByRole('button', { name: 'Make the transaction that ends it' }).click()
      const end = await page.getByLabel('PSBT, base64', { exact: true }).inputValue()
      await site.play('send', { hex: signedHex(end, seller) })
      await site.play('mine', { blocks: 1 })
      await page.reload()
      await page.getByText('Spent by a block: every authorisation has ended.').waitFor()
      expect(await page.getByText('Or sign elsewhere').count()).toBe(0)
      expect(complaints).toEqual([])
    })

    test('is told of a loss before the PSBT is handed out, and before it is published', async () => {
      const body = Buffer.from('a gift')
      const terms = { contentType: 'text/plain', body, postage: 10_000n }
      const { inscriptionId, outpoint } = devnetOf(site.market).inscribe(address, terms)
      const { page, complaints } = await site.visit('/console/sell')
      await page.getByLabel('Token').fill('a gift')
      await page.getByLabel('Inscription id').fill(inscriptionId)
      await page.getByLabel('Output that is sold').fill(outpointText(outpoint))
      await page.getByLabel('Price paid to you').fill('4000')
      await page.getByLabel('Address that is paid').fill(address)
      await page.getByRole('button', { name: 'Build' }).click()
      const alert = page.getByRole('alert').filter({ hasText: 'sats net' })
      await alert.waitFor()
      expect(await alert.textContent()).toMatch(
        /receive 4.000 sats .* holds 10.000: -6.000 sats net/,
      )
      const handoff = page.getByLabel('PSBT, base64', { exact: true })
      expect(await handoff.count()).toBe(0)
      await page.getByLabel('It is a gift').check()
      const half = Transaction.fromPSBT(Buffer.from(await handoff.inputValue(), 'base64'))
      await page.getByRole('button', { name: 'It is signed: publish it' }).click()
      for (const secret of seller.secrets) half.signIdx(secret, 0, [0x83])
      await page.getByLabel('Signed PSBT').fill(Buffer.from(half.toPSBT()).toString('hex'))
      await page.getByRole('button', { name: 'Publish', exact: true }).click()
      await page.getByText('Nothing was published.').waitFor()
      await page.getByRole('button', { name: 'It is a gift: publish it' }).click()
      await page.getByRole('link', { name: 'your order' }).click()
      await page.getByText('Proved: the offered output is unspent').click()
      await page.getByText('given away at a loss').waitFor()
      expect(complaints).toEqual([])
    })

    test('sees what is wrong with a PSBT, and its remedy', async () => {
      const { page, complaints } = await site.visit('/console/sell/inspect')
      await page.getByLabel('PSBT (base64 or hexadecimal)').fill('cHNidP8=')
      await page.getByRole('button', { name: 'Inspect' }).click()
      await page.getByText('It would be refused').waitFor()
      await page.getByText('Remedy:').first().waitFor()
      expect(complaints).toEqual([])
    })
  })
}
