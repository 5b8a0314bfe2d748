import { expect, test } from 'vitest'
import { contentUrl } from '../../../src/schemas/config/content-variables.ts'

const INDEX = 'http://ord:80'
const OWN = 'http://content:80'

test.each([
  ['mainnet', undefined, INDEX, null],
  ['mainnet', OWN, INDEX, OWN],
  ['mainnet', 'off', INDEX, null],
  ['regtest', undefined, INDEX, INDEX],
  ['signet', undefined, INDEX, INDEX],
  ['regtest', OWN, INDEX, OWN],
  ['regtest', 'off', INDEX, null],
  ['regtest', undefined, undefined, null],
])('on %s with ASSET_CONTENT_URL %s and ASSET_INDEX_URL %s content is of %s', (...given) => {
  const [BITCOIN_NETWORK, ASSET_CONTENT_URL, ASSET_INDEX_URL, url] = given
  expect(contentUrl({ BITCOIN_NETWORK, ASSET_CONTENT_URL, ASSET_INDEX_URL })).toBe(url)
})
