import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LmdbStore } from '../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { openPairingStore } from '../../src/adapters/embedded/stores/pairing-store.ts'
import { readBlock } from '../../src/domain/chain/raw-block.ts'
import { openPairingIndex } from '../../src/pairing/pairing-index.ts'
import type { PairingRecords, PairingStore } from '../../src/ports/folds/pairing-store.ts'
import { type Deployment, foldAll } from '../oracle/pairing.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { memoryPairingStore } from '../support/folds/memory-pairing-store.ts'
import { toTxid } from '../support/ids.ts'
import { expectAgreement, Known } from '../support/pairing/pairing-agreement.ts'
import { type ChainBlock, playPlan } from '../support/pairing/pairing-chain.ts'
import { type ChainPlan, chainPlans } from '../support/pairing/pairing-plans.ts'
import { Tally } from '../support/pairing/pairing-tally.ts'

/**
 * PAIRING_CHAINS: how many (`npm run test:oracles` takes 1,000); a failure names its seed,
 * PAIRING_SEED runs it again.
 */
const CHAINS = Number(process.env['PAIRING_CHAINS'] ?? 20)
const STORED_CHAINS = Math.ceil(CHAINS / 40)
const SEED = process.env['PAIRING_SEED']
const MS_PER_CHAIN = 300
const MAGIC = Buffer.from('PAIR')

const parameters = (numRuns: number) => ({
  numRuns,
  ...(SEED === undefined ? {} : { seed: Number(SEED) }),
})
const placed = ({ height, hash, bytes }: ChainBlock) => ({ height, hash, block: readBlock(bytes) })

/** Follows a generated chain with the index, and recomputes the oracle after every move. */
async function follow(plan: ChainPlan, store: PairingStore, tally: Tally): Promise<void> {
  const { startHeight, reopenEvery } = plan
  const network = startHeight > 100 ? 'mainnet' : startHeight > 1 ? 'signet' : 'regtest'
  const deployment: Deployment = { id: 'pairing-a', network, startHeight, magic: MAGIC }
  const settings = { deployment: 'pairing-a', network, startHeight, magic: MAGIC } as const
  const known = new Known()
  let index = openPairingIndex({ store, settings })
  let before = foldAll(deployment, [])
  tally.begin()
  for (const [at, move] of playPlan(plan, MAGIC).entries()) {
    const blocks = move.connected.filter(({ height }) => height >= startHeight)
    if (blocks.length > 0) await index.connect(blocks.map(placed))
    else if (move.connected.length === 0 && before.tip !== null) await index.disconnect()
    if (reopenEvery > 0 && at % reopenEvery === 0) index = openPairingIndex({ store, settings })
    const after = foldAll(deployment, move.chain)
    known.add(after)
    expectAgreement(index, after, known)
    tally.add(move, before, after, startHeight)
    before = after
  }
}

test(`the index agrees with the oracle on ${CHAINS} generated chains, after every block and every undo`, {
  timeout: 60_000 + CHAINS * MS_PER_CHAIN,
}, async () => {
  const tally = new Tally()
  await fc.assert(
    fc.asyncProperty(chainPlans, (plan) => follow(plan, memoryPairingStore(), tally)),
    parameters(CHAINS),
  )
  console.log(tally.text())
  // What fewer chains do not cover is not a fault.
  if (CHAINS >= 1_000) expect(tally.missing()).toEqual([])
})

test(`and so it does where its tables are in LMDB, on ${STORED_CHAINS} of them`, {
  timeout: 60_000 + STORED_CHAINS * MS_PER_CHAIN * 10,
}, async () => {
  const directory = temporaryDirectory()
  const lmdb = await LmdbStore.open(directory.path)
  try {
    const store = openPairingStore(lmdb)
    await fc.assert(
      fc.asyncProperty(chainPlans, async (plan) => {
        await clear(store)
        await follow(plan, store, new Tally())
      }),
      parameters(STORED_CHAINS),
    )
  } finally {
    await lmdb.close()
    directory.drop()
  }
})

const LAST_TEXT = '\uffff'
const LAST_HEIGHT = 2 ** 32

/** Clears the tables: quicker than an environment for each chain. */
async function clear(store: PairingStore): Promise<void> {
  const texts = ['settings', 'objects', 'carriers', 'transactions', 'events', 'rows'] as const
  await store.write((tables) => {
    for (const name of texts satisfies readonly (keyof PairingRecords)[]) {
      const table = tables[name]
      for (const key of [...table.keys({ from: toTxid(''), below: toTxid(LAST_TEXT) })])
        table.remove(toTxid(key))
    }
    for (const table of [tables.checkpoints, tables.undo])
      for (const key of [...table.keys({ from: 0, below: LAST_HEIGHT })]) table.remove(key)
  })
}
