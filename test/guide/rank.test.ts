import { describe, expect, test } from 'vitest'
import { type Found, ranked } from '../../guide/browser/rank.ts'

const place = (title: string, text = '', page = 'Operate'): Found => ({
  ...{ title, text, page },
  url: `/guide/#${title}`,
})
const titles = (query: string, ...places: Found[]) =>
  ranked(query, places).map(({ title }) => title)

describe('a search', () => {
  test('finds a word of a title before a beginning of one, a part of one, and the text', () => {
    const places = ['The backlog', 'Logging', 'The log'].map((title) => place(title))
    expect(titles('log', place('Records', 'how the log grows'), ...places)).toEqual([
      'The log',
      'Logging',
      'The backlog',
      'Records',
    ])
  })

  test('wants every word, in any place and case', () => {
    const places = [place('Dead letters', 'how to retry'), place('Dead letters', '')]
    expect(ranked('RETRY letters', places)).toEqual([places[0]])
  })

  test('finds codes and paths as they are written', () => {
    const found = [place('ORDER_NOT_LIVE'), place('Quote', 'POST /api/market/orders/{id}/quote')]
    expect(titles('order_not_live', ...found)).toEqual(['ORDER_NOT_LIVE'])
    expect(titles('/orders/{id}/quote', ...found)).toEqual(['Quote'])
  })

  test('of titles that match alike prefers the shorter, then the one that is first', () => {
    const [first, second] = [place('Webhooks', 'a'), place('Webhooks', 'b')]
    expect(ranked('webhooks', [place('Webhooks of customers'), first, second]).slice(0, 2)).toEqual(
      [first, second],
    )
  })

  test('gives twelve places at most, and none for no word', () => {
    const many = Array.from({ length: 30 }, () => place('Log'))
    expect(ranked('log', many)).toHaveLength(12)
    expect(ranked(' .:- ', many)).toEqual([])
  })
})
