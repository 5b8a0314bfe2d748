import { deflateRawSync } from 'node:zlib'
import { base32nopad, hex } from '@scure/base'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { bbqrCollector, bbqrFrames } from '../../console/src/frames/bbqr.ts'
import { bytesOfWords, bytewordsOf, crc32 } from '../../console/src/frames/bytewords.ts'
import { anyFrames } from '../../console/src/frames/collect.ts'
import { fragmentsOf } from '../../console/src/frames/fountain.ts'
import type { Frames, Taken } from '../../console/src/frames/frames.ts'
import { urCollector, urFrames } from '../../console/src/frames/ur.ts'
import { vector } from '../support/vectors.ts'

const ur = z
  .object({ single: z.string(), parts: z.array(z.string()) })
  .parse(vector('ur-frames.json'))

async function collected(frames: Frames, texts: readonly string[]): Promise<Taken> {
  let taken: Taken = { state: 'more', have: 0, of: 0 }
  for (const text of texts) {
    taken = await frames.take(text)
    if (taken.state !== 'more') return taken
  }
  return taken
}
const bytesIn = (taken: Taken): string =>
  taken.state === 'done' ? hex.encode(taken.bytes) : JSON.stringify(taken)
const reasonIn = (taken: Taken): string => (taken.state === 'refused' ? taken.reason : taken.state)

describe('UR, by the vectors of BCR-2020-005 and BCR-2024-001', () => {
  test('CRC-32, and bytewords both ways', () => {
    expect(crc32(new TextEncoder().encode('Wolf'))).toBe(0x598c84dc)
    const bytes = Uint8Array.of(0, 1, 2, 128, 255)
    expect(bytewordsOf(bytes)).toBe('aeadaolazmjendeoti')
    expect(bytesOfWords('aeadaolazmjendeoti')).toEqual(bytes)
    expect(bytesOfWords('aeadaolazmjendeota')).toBeNull()
  })

  test('a single one, and nine parts, are read and written', async () => {
    const one = await collected(urCollector(['bytes']), [ur.single])
    expect(bytesIn(one)).toMatch(/^916ec65cf77cadf55cd7/)
    const pure = ur.parts.slice(0, 9)
    const nine = await collected(urCollector(['bytes']), pure)
    if (one.state !== 'done' || nine.state !== 'done') throw new Error('not read')
    expect([one.bytes.length, nine.bytes.length]).toEqual([50, 256])
    expect(urFrames(one.bytes, 100, 'bytes')).toEqual([ur.single])
    expect(urFrames(nine.bytes, 30, 'bytes')).toEqual(pure)
  })

  test('mixed parts make up for those that were missed', async () => {
    const all = bytesIn(await collected(urCollector(['bytes']), ur.parts))
    const late = [...ur.parts.slice(4), ...ur.parts.slice(9)].reverse()
    expect(bytesIn(await collected(urCollector(['bytes']), late))).toBe(all)
    expect(fragmentsOf(10, 9, 0x0167aa07).length).toBeGreaterThan(0)
  })
})

const content = fc.uint8Array({ minLength: 1, maxLength: 2_000 })
const size = fc.integer({ min: 20, max: 400 })
/** Some order, with repeats, that misses none. */
const seenIn = (texts: readonly string[], seed: readonly number[]): string[] =>
  [...texts, ...texts]
    .map((text, at) => ({ text, key: seed[at % seed.length] ?? 0 }))
    .sort((one, other) => one.key - other.key)
    .map(({ text }) => text)

test.each([
  ['BBQr', bbqrFrames, () => bbqrCollector(['P'])],
  ['UR', urFrames, () => urCollector(['crypto-psbt'])],
])('%s: frames in any order, some twice, are the same bytes', async (_, frames, collector) => {
  const order = fc.array(fc.integer(), { minLength: 50, maxLength: 50 })
  await fc.assert(
    fc.asyncProperty(content, size, order, async (bytes, most, seed) => {
      const texts = frames(bytes, most)
      expect(bytesIn(await collected(collector(), seenIn(texts, seed)))).toBe(hex.encode(bytes))
      expect(bytesIn(await collected(anyFrames(), texts))).toBe(hex.encode(bytes))
    }),
  )
})

test('BBQr in hexadecimal and compressed is read', async () => {
  const bytes = new Uint8Array(900).fill(7)
  const read = (text: string) => collected(anyFrames(), [text])
  expect(bytesIn(await read(`B$HP0100${hex.encode(bytes).toUpperCase()}`))).toBe(hex.encode(bytes))
  const packed = base32nopad.encode(deflateRawSync(bytes, { windowBits: 10 }))
  expect(bytesIn(await read(`B$ZP0100${packed}`))).toBe(hex.encode(bytes))
})

describe('hostile frames are refused, and cost little', () => {
  test('a bomb in Z', async () => {
    const bomb = base32nopad.encode(deflateRawSync(new Uint8Array(20_000_000)))
    const parts = bomb.match(/.{1,4000}/g) ?? []
    const count = parts.length.toString(36).toUpperCase().padStart(2, '0')
    const texts = parts.map(
      (part, at) => `B$ZP${count}${at.toString(36).toUpperCase().padStart(2, '0')}${part}`,
    )
    expect(reasonIn(await collected(anyFrames(), texts))).toBe('It is larger than 400000 bytes.')
  })

  test('parts of another session, of another count, and beyond the count', async () => {
    const [a = '', b = ''] = bbqrFrames(new Uint8Array(200).fill(1), 100)
    const [, other = ''] = bbqrFrames(new Uint8Array(200).fill(2), 100)
    expect(reasonIn(await collected(anyFrames(), [a, other, b]))).toBe('done')
    expect(reasonIn(await collected(anyFrames(), [a, a.replace('AEAQ', 'AEAA')]))).toMatch(
      /another/,
    )
    const [three = ''] = bbqrFrames(new Uint8Array(300).fill(1), 100)
    expect(reasonIn(await collected(anyFrames(), [a, three]))).toMatch(/another message/)
    expect(reasonIn(await collected(anyFrames(), ['B$2P0202AEAQ']))).toMatch(/head/)
    expect(reasonIn(await collected(anyFrames(), [a, 'ur:crypto-psbt/aeadaolazmjendeoti']))).toBe(
      'It holds no PSBT.',
    )
    const [first = ''] = urFrames(new Uint8Array(200).fill(1), 100)
    const [, second = ''] = urFrames(new Uint8Array(200).fill(2), 100)
    expect(reasonIn(await collected(anyFrames(), [first, second]))).toMatch(/another message/)
  })

  test('a part count or a length that is out of bounds', async () => {
    const part = (count: number[], length: number[]) =>
      bytewordsOf(Uint8Array.of(0x85, 1, ...count, ...length, 0x1a, 0, 0, 0, 0, 0x41, 7))
    const huge = part([0x19, 0xff, 0xff], [0x19, 0xff, 0xff])
    const long = part([0x02], [0x1a, 0x7f, 0xff, 0xff, 0xff])
    for (const text of [`ur:crypto-psbt/1-65535/${huge}`, `ur:crypto-psbt/1-2/${long}`]) {
      expect(reasonIn(await collected(anyFrames(), [text]))).toMatch(/head/)
    }
    expect(reasonIn(await anyFrames().take(`B$2P0100${'A'.repeat(9_000)}`))).toMatch(/too long/)
  })

  test('any text', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          fc.string().map((text) => `B$${text}`),
          fc.stringMatching(/^ur:crypto-psbt\/[1-9]-[1-9]\/[a-z]{2,60}$/),
          fc.stringMatching(/^B\$[H2Z]P0[1-3]0[0-2][0-9A-Z]{1,40}$/),
        ),
        async (text) => {
          expect(['more', 'done', 'refused']).toContain((await anyFrames().take(text)).state)
        },
      ),
    )
  })
})
