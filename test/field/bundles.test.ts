import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { verifyBundleFile } from '../../src/operator/dispute/verify-bundle-file.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { fieldCases } from '../support/field/field-cases.ts'
import { vectorText } from '../support/vectors.ts'

const { path, drop } = temporaryDirectory()
afterAll(() => drop())

const ENCODINGS: Readonly<Record<string, BufferEncoding>> = {
  'utf-16le': 'utf16le',
  'utf-8': 'utf8',
}

const files = fieldCases('bundle').flatMap(({ name, input }) =>
  input.encodings.map((encoding, at) => ({ name, encoding, prefixHex: input.prefixHex[at] ?? '' })),
)

test.each(files)('$name: the encoding $encoding is named', async ({ encoding, prefixHex }) => {
  const text = Buffer.from(vectorText('dispute-live.json'), ENCODINGS[encoding])
  const file = join(path, `${encoding}.json`)
  writeFileSync(file, Buffer.concat([Buffer.from(prefixHex, 'hex'), text]))
  const { failed, proved } = await verifyBundleFile(file)
  expect(proved).toEqual([])
  expect(failed.join()).toMatch(new RegExp(`byte order mark.*${encoding}`, 'i'))
})
