import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { outpointText } from '../../../src/domain/chain/outpoint.ts'
import { LOG_SCHEMA, TOPICS } from '../../../src/schemas/log.ts'
import { type ConsoleSite, HOSTILE, OPERATOR, WAITS } from '../../support/console/console-site.ts'
import { expectNoFinding, keepPicture } from '../../support/console/page-checks.ts'
import { listInscription } from '../../support/market/trader.ts'

export function operatorActs(site: ConsoleSite): void {
  test('an operator hides an order and reads its log; the token is gone with the page', async () => {
    const { order } = await listInscription(site.market)
    const { page, complaints } = await site.visit(`/console/orders/${order.id}`)
    await page.getByRole('link', { name: 'Moderate it as an operator' }).click()
    const token = page.getByLabel('Operator’s token')
    await token.fill('no such token')
    await page.getByRole('button', { name: 'Use it' }).click()
    await page.getByText('No operator of this service has this token now').waitFor()
    await token.fill(OPERATOR)
    await page.getByRole('button', { name: 'Use it' }).click()
    const partitions = page.getByRole('region', { name: 'Partitions' })
    await partitions.getByText(/^\d+ partitions?, none behind\.$/).waitFor()
    await partitions.getByText('Each partition').click()
    await partitions
      .getByRole('cell', { name: /^block \d+$/ })
      .first()
      .waitFor()
    await page.getByText('No feed is configured.').waitFor()
    await page.getByText('No record was set aside.').waitFor()
    await page.getByText('No webhook.').waitFor()
    await page.getByText('None was found.').waitFor()
    await page.getByText('Add a webhook').click()
    await page.getByLabel('Name').fill('shop')
    await page.getByLabel('Address of the endpoint').fill('https://hooks.example/market')
    await page.getByLabel('Orders in state').selectOption('LIVE')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    const secret = page.getByLabel('Secret of shop')
    await secret.waitFor()
    const first = await secret.inputValue()
    await page.getByRole('button', { name: 'New secret' }).click()
    await expect.poll(() => secret.inputValue(), WAITS).not.toBe(first)
    expect(await page.getByLabel('Order id').inputValue()).toBe(order.id)
    await page.getByRole('button', { name: 'Do it' }).click()
    await page.getByText('Hidden now (1)').waitFor()
    await page.getByRole('heading', { name: 'Log of' }).waitFor()
    await page
      .getByText(/by operator/)
      .first()
      .waitFor()
    await keepPicture(page, 'operator-1280-light')
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('button', { name: 'Delete shop for good' }).click()
    await page.getByText('No webhook.').waitFor()
    await page.getByLabel('Move').selectOption('unhide')
    await page.getByRole('button', { name: 'Do it' }).click()
    await page.getByText('Hidden now (0)').waitFor()

    const kept = 'JSON.stringify([localStorage, sessionStorage, document.cookie, location.href])'
    expect(await page.evaluate(kept)).not.toContain(OPERATOR)
    await page.getByRole('link', { name: 'Book' }).click()
    await page.getByRole('link', { name: 'Operations' }).click()
    await page.getByLabel('Operator’s token').waitFor()
    // The refusal of the wrong token is a 401, which the browser logs.
    expect(complaints.filter((text) => !text.includes('status of 401'))).toEqual([])
  })

  describe('an operator', () => {
    const signIn = async (page: Page) => {
      await page.getByLabel('Operator’s token').fill(OPERATOR)
      await page.getByRole('button', { name: 'Use it' }).click()
      await page.getByText('Uptime').waitFor()
    }

    test('sees why a record was set aside, and retries it', async () => {
      const { order, offered } = await listInscription(site.market)
      const at = new Date().toISOString()
      const value = {
        ...{ schema: LOG_SCHEMA, kind: 'command', command: 'revalidate', requestId: 'again', at },
        ...{ orderId: order.id, outpoint: outpointText(offered.outpoint) },
      }
      // Beyond the end of the inbox: the letter alone has the record.
      const offset = 1_000_000
      const letter = { schema: LOG_SCHEMA, kind: 'dead', offset, reason: HOSTILE[0], value }
      const key = String(offset)
      await site.market.stores.log.append([
        { topic: TOPICS.dead, partition: 0, key, value: letter },
      ])
      const { page, complaints } = await site.visit('/console/operations')
      await signIn(page)
      const card = page.getByRole('region', { name: 'Dead letters' })
      await card.getByText(String(HOSTILE[0])).waitFor()
      await card.getByRole('button', { name: 'Show record' }).click()
      await card.getByText('what the letter kept of it').waitFor()
      await card.getByText('"requestId": "again"').waitFor()
      await keepPicture(page, 'dead-letter')
      await card.getByRole('button', { name: 'Retry', exact: true }).click()
      await card.getByText('1 of 1 retried.').waitFor()
      await card.getByText(/, retried \d+ s ago/).waitFor()
      expect(complaints).toEqual([])
    })

    test.each([
      [360, 'dark'],
      [768, 'light'],
      [1_280, 'dark'],
    ] as const)(
      'finds the changes of an order in the log at %d px, %s',
      async (width, colorScheme) => {
        const { order } = await listInscription(site.market)
        const { page, complaints } = await site.visit('/console/operations', {
          viewport: { width, height: 900 },
          colorScheme,
        })
        await signIn(page)
        const log = page.getByRole('region', { name: 'The log' })
        await log.getByRole('button', { name: TOPICS.lifecycle }).click()
        await log.getByLabel('Key, or a text in a field').fill(order.id)
        await log.getByRole('button', { name: 'Read' }).click()
        // The records of all orders are there until its own are.
        await expect
          .poll(async () => {
            const texts = await log.locator('summary').allTextContents()
            return texts.length > 1 && texts.every((text) => text.includes(order.id))
          }, WAITS)
          .toBe(true)
        await log.locator('summary', { hasText: 'LIVE' }).first().click()
        await log.getByText('Hash before').waitFor()
        const overflow =
          'document.documentElement.scrollWidth - document.documentElement.clientWidth'
        expect(await page.evaluate(overflow)).toBe(0)
        await expectNoFinding(page)
        await keepPicture(page, `log-${width}-${colorScheme}`)
        await log.getByLabel('Key, or a text in a field').fill('')
        await log.getByLabel('Before a time in UTC, or an offset').fill('2020-01-01T00:00:00Z')
        await log.getByRole('button', { name: 'Read' }).click()
        await log.getByText('No record.').waitFor()
        await log.getByRole('button', { name: 'Newer' }).click()
        await expect.poll(() => log.locator('summary').count(), WAITS).toBeGreaterThan(1)
        expect(complaints).toEqual([])
      },
    )
  })
}
