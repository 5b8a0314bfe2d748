import { describe, expect, test } from 'vitest'
import type { Played } from '../../../src/devnet/protocol-play.ts'
import type { CircleState } from '../../../src/schemas/api/circles.ts'
import type {
  AgreementEnvelope,
  CheckpointTuple,
  PairingObject,
} from '../../../src/schemas/api/pairing.ts'
import { type ConsoleSite, WAITS } from '../../support/console/console-site.ts'

export function indexActs(site: ConsoleSite): void {
  test('both pipelines vouch for an object, and their nine fields are compared', async () => {
    await site.play('objects', { move: 'create', label: 'Seen.here' })
    const countObjects = async () => {
      const { items }: { items: PairingObject[] } = (await site.market.get('/pairing/objects')).body
      return items.length
    }
    await expect.poll(countObjects, WAITS).toBe(1)
    const { page, complaints } = await site.visit('/console/pairing')
    await page.getByText('Both pipelines signed').waitFor()
    await page.getByText(/^9 of 9 fields agree, at block \d+$/).click()
    await page.getByRole('cell', { name: 'yes, by the checkpoint' }).first().waitFor()

    const { items }: { items: CheckpointTuple[] } = (await site.market.get('/pairing/checkpoints'))
      .body
    const signed = `/pairing/agreement/${items[0]?.height}`
    const envelope: AgreementEnvelope = (await site.market.get(signed)).body
    const tuple = { ...envelope.tuple, carriersRoot: '00'.repeat(32) }
    await page.getByText('Compare with another pipeline').click()
    await page.getByLabel('Envelope, JSON').fill(JSON.stringify({ ...envelope, tuple }))
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.getByText('They differ, first in: Root of carriers').waitFor()

    await page
      .getByRole('row', { name: /Seen\.here/ })
      .getByRole('link')
      .first()
      .click()
    await page.getByRole('region', { name: 'What they confirm' }).getByText('Seen.here').waitFor()
    await page
      .getByRole('row', { name: /^created/ })
      .getByRole('link')
      .last()
      .click()
    await page.getByRole('heading', { name: 'Valid' }).waitFor()
    expect(complaints).toEqual([])
  })

  describe('the circles', () => {
    const shardOf = ({ outpoints }: Played) => outpoints[0] ?? ''

    test('are drawn, chosen by key, gone back through, and hashed by the page itself', async () => {
      const first = (await site.play('circles', { move: 'circle', members: 3 })) as Played
      const next = { move: 'circle', members: 2, shards: [shardOf(first)] }
      const second = (await site.play('circles', next)) as Played
      await site.play('circles', { move: 'close', shards: [shardOf(second)] })
      const revision = async () => {
        const state: CircleState = (await site.market.get('/circles/state')).body
        return state.revision
      }
      await expect.poll(revision, WAITS).toBe(3)

      const { page, complaints } = await site.visit('/console/circles')
      await page.getByText('4 lineages, 2 circles, 5 shards').waitFor()
      await page.getByText('The same: this browser hashed').waitFor()
      await page.getByRole('img', { name: /^4 lineages over the height/ }).focus()
      await page.keyboard.press('n')
      await page.getByText('3 members').waitFor()
      await page.keyboard.press('n')
      await page.getByText('2 members').waitFor()
      await page.getByLabel('As of a block').press('ArrowLeft')
      await page.getByText(/: revision 2, hash/).waitFor()
      expect(complaints).toEqual([])
    })
  })
}
