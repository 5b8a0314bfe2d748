import { expect, test } from 'vitest'
import { linkNext } from '../../../src/http/answers/link-next.ts'

const linkOf = (url: string, nextCursor = 'c+1') => {
  const headers: [string, unknown][] = []
  const reply = { header: (name: string, value: unknown) => headers.push([name, value]) }
  linkNext({ url }, reply as never, nextCursor)
  return headers
}

test.each([
  ['/orders', '</orders?cursor=c%2B1>; rel="next"'],
  ['/orders?limit=1', '</orders?limit=1&cursor=c%2B1>; rel="next"'],
  ['/orders?cursor=a&limit=1', '</orders?cursor=c%2B1&limit=1>; rel="next"'],
  // RFC 3986 3.4: a query may contain question marks.
  ['/orders?a=b?c&limit=1', '</orders?a=b%3Fc&limit=1&cursor=c%2B1>; rel="next"'],
  ['/orders??limit=1', '</orders?%3Flimit=1&cursor=c%2B1>; rel="next"'],
])('the next page of %s keeps every parameter', (url, link) => {
  expect(linkOf(url)).toEqual([['link', link]])
})

test('the last page has no link', () => {
  expect(linkOf('/orders?limit=1', '')).toEqual([])
})
