import { afterEach, expect, test, vi } from 'vitest'
import { readVersions } from '../../src/order/versions.ts'

afterEach(() => void vi.unstubAllGlobals())

/** A history of so many versions, oldest first, in the pages that are asked for. */
function serve(count: number) {
  vi.stubGlobal('fetch', async (url: string) => {
    const { searchParams } = new URL(url)
    const from = Number(searchParams.get('cursor') ?? '0')
    const limit = Number(searchParams.get('limit') ?? '50')
    const to = Math.min(count, from + limit)
    const versions = Array.from({ length: to - from }, (_, at) => ({ seq: from + at + 1 }))
    const hasMore = to < count
    return Response.json({
      versions,
      isWithheld: false,
      limit,
      hasMore,
      nextCursor: hasMore ? `${to}` : '',
    })
  })
}
const read = () => readVersions('a'.repeat(64), new AbortController().signal)

test.each([0, 1, 100, 101, 300, 500])('all of %i changes are read, newest first', async (count) => {
  serve(count)
  const { versions, isCut } = await read()
  expect(versions.map(({ seq }) => seq)).toEqual(Array.from({ length: count }, (_, n) => count - n))
  expect(isCut).toBe(false)
})

test('of more than are shown it is said that the newest are missing', async () => {
  serve(501)
  const { versions, isCut } = await read()
  expect(versions).toHaveLength(500)
  expect(isCut).toBe(true)
})
