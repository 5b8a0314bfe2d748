import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { CodedAnswers } from '../../../src/http/answers/coded-answers.ts'
import { codedTag, codingTaken } from '../../../src/http/answers/codings.ts'

const BODY = JSON.stringify(Array.from({ length: 500 }, (_, n) => ({ n, text: 'an answer' })))

test.each([
  ['br', brotliDecompressSync],
  ['gzip', gunzipSync],
] as const)('in %s an answer is the same, and a fifth as long at most', async (coding, open) => {
  const coded = await new CodedAnswers().code('a', coding, BODY)
  expect(open(coded ?? '').toString()).toBe(BODY)
  expect((coded?.length ?? 0) * 5).toBeLessThan(BODY.length)
})

test('an answer is compressed once, and cached', async () => {
  const answers = new CodedAnswers()
  expect(answers.cached('a')).toBeUndefined()
  const both = [answers.code('a', 'br', BODY), answers.code('a', 'br', BODY)]
  expect(both[0]).toBe(both[1])
  const coded = await both[0]
  expect(answers.cached('a')).toBe(coded)
  expect(answers.cached('b')).toBeUndefined()
})

test('a fifth compression at a time is refused, and one after the others is not', async () => {
  const answers = new CodedAnswers()
  const running = ['a', 'b', 'c', 'd'].map((name) => answers.code(name, 'br', BODY))
  expect(running).not.toContain(null)
  expect(answers.code('e', 'br', BODY)).toBeNull()
  expect(answers.code('a', 'br', BODY)).not.toBeNull()
  for (const one of running) await one
  expect(answers.code('e', 'br', BODY)).not.toBeNull()
})

test('no more than 8 MiB are cached, the last ones', async () => {
  const answers = new CodedAnswers()
  // Hex of an index hashes to nothing that repeats: it stays as long as it is.
  const noise = (seed: number) =>
    Buffer.from(Uint32Array.from({ length: 2 ** 18 }, (_, n) => Math.imul(n ^ seed, 2_654_435_761)))
  for (let n = 0; n < 40; n += 1) await answers.code(`${n}`, 'gzip', noise(n))
  const cached = Array.from({ length: 40 }, (_, n) => answers.cached(`${n}`)).filter(Boolean)
  expect(cached.length).toBeGreaterThan(0)
  expect(answers.cached('39')).toBeDefined()
  expect(cached.reduce((sum, one) => sum + (one?.length ?? 0), 0)).toBeLessThanOrEqual(8 * 2 ** 20)
})

test.each([
  [undefined, undefined],
  ['', undefined],
  ['identity', undefined],
  ['gzip', 'gzip'],
  ['gzip, deflate, br, zstd', 'br'],
  ['br;q=0, gzip;q=0.2', 'gzip'],
  ['xbr, gzipped', undefined],
])('of %j is taken %s', (accepted, coding) => {
  expect(codingTaken(accepted)).toBe(coding)
})

test('each coding has a strong ETag of its own', () => {
  expect(codedTag('"abc"', 'br')).toBe('"abc-br"')
  expect(codedTag('"abc"', undefined)).toBe('"abc"')
})
