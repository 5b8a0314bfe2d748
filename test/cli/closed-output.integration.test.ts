import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LmdbStore } from '../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { openDivergences } from '../../src/adapters/embedded/stores/divergences.ts'
import { type Bundle, bundleService } from '../support/bundle.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { signerOf, tupleAt } from '../support/pairing/pairing-pipeline.ts'

// As `market … | head -1`: the reader of the output ends before the command does.

const SLOW_MS = 120_000
/** Far more than a pipe holds. */
const LINES = 300

const directory = temporaryDirectory()
let bundle: Bundle

beforeAll(async () => {
  bundle = await bundleService()
  const store = await LmdbStore.open(join(directory.path, 'store'))
  const ledger = openDivergences(store)
  const [a, b] = [signerOf('A', 'a1'), signerOf('B', 'b1')]
  for (let height = 1; height <= LINES; height += 1) {
    const tuple = tupleAt(height)
    const peer = b.seal({ ...tuple, eventsRoot: tuple.objectsRoot })
    const firstSeenAt = '2030-01-01T00:00:00.000Z'
    await ledger.note({ field: 'eventsRoot', height, own: a.seal(tuple), peer, firstSeenAt })
  }
  await store.close()
}, SLOW_MS)
afterAll(() => {
  bundle.drop()
  directory.drop()
})

test.each([
  ['before the first line', false],
  ['after some of them', true],
])(
  'a command whose reader leaves %s ends without an error',
  async (_when, readsSome) => {
    const args = [bundle.market, 'pairing', 'divergence', '--json']
    const env = { ...process.env, DATA_DIR: directory.path, BITCOIN_NETWORK: 'regtest' }
    const command = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    let errors = ''
    command.stderr.on('data', (chunk: Buffer) => {
      errors += chunk.toString()
    })
    if (readsSome) await once(command.stdout, 'data')
    command.stdout.destroy()
    expect(await once(command, 'close')).toEqual([0, null])
    expect(errors).toBe('')
  },
  SLOW_MS,
)
