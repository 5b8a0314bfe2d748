import { LmdbStore } from '../../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { openIngestCopy } from '../../../src/adapters/embedded/log/ingest-store.ts'
import { toBlockHash, toTxid } from '../ids.ts'

// Fills a copy of ingest's state and clears it, and is killed at the end of one write of the
// clearing, or after all of them. Arguments: directory, transactions, the number of that write.
const [directory = '', transactions = '0', last = '1'] = process.argv.slice(2)
const store = await LmdbStore.open(directory)
const copy = openIngestCopy(store)
const entered = Array.from({ length: Number(transactions) }, (_, n) => ({
  txid: toTxid(n.toString(16).padStart(64, '0')),
  bytes: Buffer.alloc(400, n),
}))
const block = { height: 1, hash: toBlockHash('ab'.repeat(32)), prevHash: null }
const state = { epoch: 1, tip: block, pending: null, owed: { touched: '' }, index: null }
const keep = { ...block, time: 0, transactions: [] }
await copy.apply([{ state, keep, entered }], { logId: 'log', offset: 1, at: 1 })

const die = () => process.kill(process.pid, 'SIGKILL')
let writes = 0
const write = store.write.bind(store)
store.write = (action) =>
  write(() => {
    const result = action()
    writes += 1
    if (writes === Number(last)) die()
    return result
  })
await copy.clear()
die()
