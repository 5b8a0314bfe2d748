import { expect, test } from 'vitest'
import { VolumeCard } from '../src/market/volume-card.tsx'
import { shown } from './shown.tsx'

const CHOSEN = { protocol: 'inscriptions', token: null }
const row = (days: number, changes: object) => ({
  days,
  volume_sats: '250000000',
  sales: '3',
  sellers: '1',
  volume_change_percent: null,
  sales_change_percent: null,
  sellers_change_percent: null,
  ...changes,
})

test('volume, sales and sellers of a day, a week and a month, each with its change if there was something before', async () => {
  const rows = [
    row(1, {
      volume_change_percent: '-66',
      sales_change_percent: '50',
      sellers_change_percent: '0',
    }),
    row(7, {}),
    row(30, { volume_change_percent: '12' }),
  ]
  const known = [['statistics', 'volume', CHOSEN], { rows }] as const
  const page = await shown(<VolumeCard chosen={CHOSEN} />, [known as never])
  const tiles = [...page.querySelectorAll('.tile')]
  expect(tiles.map((tile) => tile.getAttribute('aria-label'))).toEqual([
    '24 hours',
    '7 days',
    '30 days',
  ])
  const textOf = (tile: Element | undefined) =>
    [...(tile?.querySelectorAll('p') ?? [])].map((one) => one.textContent?.trim())
  expect(textOf(tiles[0])).toEqual([
    '250\u202f000\u202f000 sats',
    '2.50000000 BTC \u221266 %',
    '3 sales +50 %',
    '1 seller 0 %',
  ])
  expect(tiles[1]?.querySelector('.change')).toBeNull()
  const rises = [...page.querySelectorAll('.change')].map((one) => one.getAttribute('data-rises'))
  expect(rises).toEqual(['false', 'true', null, 'true'])
})
