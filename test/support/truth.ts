import { z } from 'zod'
import type { OrderSummary } from '../../src/schemas/order.ts'
import type { RealChain } from './real-chain.ts'

// What node and index say of a book, asked past the service and its adapters: an oracle apart.

const Output = z
  .object({
    confirmations: z.int(),
    scriptPubKey: z.object({ hex: z.string() }),
  })
  .nullable()
const Spenders = z.array(z.object({ spendingtxid: z.string().optional() }))
const Mined = z.object({ confirmations: z.int().optional() })
const Held = z.object({ indexed: z.boolean(), inscriptions: z.array(z.string()) })

/** Where the orders are not what node and index say; empty for a true book. */
export async function contradictions(
  chain: RealChain,
  orders: readonly OrderSummary[],
): Promise<string[]> {
  const found: string[] = []
  for (const order of orders) {
    const lie = await contradiction(chain, order)
    if (lie) found.push(`${order.id} is ${order.state} (${order.validation.reasons}), but ${lie}`)
  }
  return found
}

async function contradiction(chain: RealChain, order: OrderSummary): Promise<string | null> {
  const { core } = chain
  const { state, settlement, sellerScriptHex, inspection, validation } = order
  // Placeholders stand in an ask too: the offered output is the one with the seller's script.
  const outpoints = inspection.inputOutpoints.filter(({ vout }) => vout < 2 ** 31)
  if (outpoints.length === 0) return state === 'REJECTED' ? null : 'no RPC can name its output'
  const outputs = []
  for (const { txid, vout } of outpoints)
    outputs.push(Output.parse(await core.rpc('gettxout', txid, vout, true)))
  const offered = outputs.findIndex((output) => output?.scriptPubKey.hex === sellerScriptHex)
  const output = outputs[offered]
  const spenders = Spenders.parse(
    await core.rpc('gettxspendingprevout', outpoints, { mempool_only: true }),
  )
  const isSpentInMempool = spenders.some(({ spendingtxid }) => spendingtxid !== undefined)
  switch (state) {
    case 'LIVE': {
      if (!output) return 'no unspent output has the script of its seller'
      if (output.confirmations === 0) return 'its output is in no block'
      return misplaced(chain, order, outpoints[offered])
    }
    case 'PENDING_ASSET':
      return output ? null : 'no unspent output has the script of its seller'
    case 'MEMPOOL_CONFLICTED':
      return isSpentInMempool ? null : 'nothing in the mempool spends it'
    case 'SPENT':
    case 'SETTLED': {
      if (output || isSpentInMempool) return 'no block spends it'
      if (state === 'SPENT') return null
      const mined = Mined.parse(await core.rpc('getrawtransaction', settlement?.txid, true))
      return mined.confirmations ? null : `${settlement?.txid} is in no block`
    }
    case 'REJECTED':
      return validation.reasons.includes('outpoint_missing') && output
        ? 'its output is there'
        : null
    case 'PENDING_NODE':
    case 'WITHDRAWN':
      return null
  }
}

async function misplaced(
  { ord }: RealChain,
  { assets }: OrderSummary,
  offered: { txid: string; vout: number } | undefined,
): Promise<string | null> {
  const answer = await fetch(`${ord.url}/output/${offered?.txid}:${offered?.vout}`, {
    headers: { accept: 'application/json' },
  })
  const { indexed, inscriptions } = Held.parse(await answer.json())
  if (!indexed) return 'the index has not seen its output'
  const sold = assets.map(({ inscriptionId }) => inscriptionId)
  return [...sold].sort().join() === [...inscriptions].sort().join()
    ? null
    : `the index finds ${inscriptions.join() || 'nothing'} in its output`
}
