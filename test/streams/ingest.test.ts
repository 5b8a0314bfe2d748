import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openIngestStore } from '../../src/adapters/embedded/ingest-store.ts'
import { LmdbStore } from '../../src/adapters/embedded/lmdb-store.ts'
import { IngestRun } from '../support/ingest-run.ts'
import { ScriptedChain } from '../support/scripted-chain.ts'

let directory: string
let database: LmdbStore
let chain: ScriptedChain
let run: IngestRun

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'ingest-'))
  database = await LmdbStore.open(directory)
  chain = new ScriptedChain()
  run = new IngestRun({ chain, store: openIngestStore(database) })
})

afterEach(async () => {
  await run.stop()
  await database.close()
  rmSync(directory, { recursive: true })
})

test('a spend is seen, then confirmed by the block that mines it', async () => {
  const [coin] = chain.unspent()
  await run.settle()
  const spend = chain.spend([coin!])
  chain.enter(spend)
  await run.settle()
  chain.mine([spend])
  await run.settle()
  expect(run.story(coin!)).toEqual(['spend seen', 'spend confirmed'])
  expect(run.story(`${spend.txid}:0`)).toEqual(['output seen', 'output confirmed'])
})
