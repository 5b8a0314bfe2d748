import { describe, expect, test } from 'vitest'
import { ContentReader } from '../../src/gateway/content-reader.ts'
import type { SourcedContent } from '../../src/ports/authorities/content-source.ts'
import { ManualClock } from '../support/manual-clock.ts'

const NEVER = new AbortController().signal
const MIB = 2 ** 20
const png = (bytes: number): Buffer => {
  const body = Buffer.alloc(bytes)
  body.write('89504e470d0a1a0a', 'hex')
  return body
}

/** A reader over a source that answers this of any inscription. */
function reading(found: Partial<SourcedContent>) {
  const clock = new ManualClock()
  const asked: string[] = []
  const source = {
    content: async (id: string) => {
      asked.push(id)
      return { mediaType: 'image/png', body: png(16), claimedBytes: null, ...found }
    },
  }
  return { clock, asked, reader: new ContentReader(source, clock) }
}

test('what was read is kept for ten minutes, and read again after that', async () => {
  const { clock, asked, reader } = reading({})
  for (let n = 0; n < 3; n += 1) await reader.read('a', NEVER)
  expect(asked).toHaveLength(1)
  clock.advance(599_000)
  await reader.read('a', NEVER)
  expect(asked).toHaveLength(1)
  clock.advance(2_000)
  await reader.read('a', NEVER)
  expect(asked).toHaveLength(2)
})

describe('64 MiB may be read at once, and 4 MiB a second after that', () => {
  test.each<[string, Partial<SourcedContent>, string | null]>([
    ['of content that is shown', { body: png(4 * MIB) }, null],
    ['of content that is too large, whatever length it claims', { body: 'too_large' }, 'SHOWN'],
  ])('%s', async (_, found, refusal) => {
    const { clock, reader } = reading(found)
    const read = (id: string) =>
      reader.read(id, NEVER).then(
        () => null,
        ({ code }: { code: string }) => code.replace('CONTENT_NOT_', ''),
      )
    for (let n = 0; n < 16; n += 1) expect(await read(`${n}`)).toBe(refusal)
    expect(await read('one more')).toBe('OVERLOADED')
    clock.advance(1_000)
    expect(await read('one more')).toBe(refusal)
  })

  test('content of a type that is not shown costs nothing', async () => {
    const { asked, reader } = reading({ mediaType: 'text/html', body: 'not_admitted' })
    for (let n = 0; n < 40; n += 1)
      await expect(reader.read(`${n}`, NEVER)).rejects.toMatchObject({ code: 'CONTENT_NOT_SHOWN' })
    expect(asked).toHaveLength(40)
  })
})

test('a client that goes does not end the reading of the others', async () => {
  const { asked, reader } = reading({})
  const gone = new AbortController()
  const left = reader.read('a', gone.signal)
  const waits = reader.read('a', NEVER)
  gone.abort()
  await expect(left).rejects.toMatchObject({ reason: 'asset_index_unreachable' })
  expect((await waits).mediaType).toBe('image/png')
  expect(asked).toHaveLength(1)
})
