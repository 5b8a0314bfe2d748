import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { documentedMethods } from '../support/services/rpc-whitelist.ts'
import { filesBelow, ROOT } from '../support/tree.ts'

const CALL = /\bcall\(\s*'([a-z]+)'/g

test('the methods that deploy/systemd/bitcoin.conf grants the service are those it calls', () => {
  const called = filesBelow('src/adapters/bitcoind', new Set())
    .map((file) => readFileSync(join(ROOT, file), 'utf8'))
    .flatMap((text) => [...text.matchAll(CALL)].map(([, method = '']) => method))
  expect(documentedMethods()).toEqual([...new Set(called)].sort())
})
