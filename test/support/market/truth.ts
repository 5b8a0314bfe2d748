import { z } from 'zod'
import type { OrderSummary } from '../../../src/schemas/order.ts'
import type { OrderState, Outpoint } from '../../../src/schemas/scalars.ts'
import type { RealChain } from '../chain/real-chain.ts'
import { type Core, CoreError } from '../services/core.ts'

// What node and index say about a book, queried without the service and its adapters: an
// independent oracle.

const Script = z.object({ hex: z.string() })
const Output = z.object({ confirmations: z.int() }).nullable()
const Spender = z.object({ spendingtxid: z.string().optional(), blockhash: z.string().optional() })
const Transaction = z.object({
  vin: z.array(z.object({ txid: z.string().optional(), vout: z.int().optional() })),
  vout: z.array(z.object({ value: z.number(), scriptPubKey: Script })),
})
type Transaction = z.infer<typeof Transaction>
const Held = z.object({ indexed: z.boolean(), inscriptions: z.array(z.string()) })

const SATS = 100_000_000

/** Where the orders differ from what node and index say; empty for a correct book at rest. */
export async function contradictions(
  chain: RealChain,
  orders: readonly OrderSummary[],
): Promise<string[]> {
  const found: string[] = []
  for (const order of orders) {
    const truth = await truthOf(chain, order)
    const { id, state, validation } = order
    if (truth !== null) found.push(`${id} is ${state} (${validation.reasons}), but ${truth}`)
  }
  return found
}

/** Refused, or deferred, by a rule that no query to the node about its output can confirm. */
const isRuled = ({ state, validation: { reasons } }: OrderSummary): boolean =>
  state === 'WITHDRAWN' ||
  (state === 'REJECTED' && !reasons.includes('outpoint_missing')) ||
  (state === 'PENDING_NODE' && reasons.some((reason) => reason.startsWith('not_final_until')))

async function truthOf(chain: RealChain, order: OrderSummary): Promise<string | null> {
  if (isRuled(order)) return null
  const offered = await offeredIn(chain.core, order)
  const expected = offered === null ? 'REJECTED' : await stateOf(chain.core, order, offered)
  if (expected !== order.state) return `by the node it is ${expected}`
  return expected === 'LIVE' && offered ? misplaced(chain, order, offered.outpoint) : null
}

interface Offered {
  outpoint: Outpoint
  at: number
}

/**
 * An ask may have placeholders beside it: the offered output is the one with the seller's script.
 */
async function offeredIn(core: Core, order: OrderSummary): Promise<Offered | null> {
  for (const [at, outpoint] of order.inspection.inputOutpoints.entries()) {
    const made = (await transaction(core, outpoint.txid))?.vout[outpoint.vout]
    if (made && made.scriptPubKey.hex === order.sellerScriptHex) return { outpoint, at }
  }
  return null
}

async function stateOf(
  core: Core,
  order: OrderSummary,
  { outpoint, at }: Offered,
): Promise<OrderState> {
  const { txid, vout } = outpoint
  const unspent = Output.parse(await core.rpc('gettxout', txid, vout, true))
  if (unspent) return unspent.confirmations > 0 ? 'LIVE' : 'PENDING_ASSET'
  const asked = await core.rpc('gettxspendingprevout', [{ txid, vout }], { mempool_only: false })
  const [spender] = z.array(Spender).parse(asked)
  if (spender?.spendingtxid === undefined) return 'REJECTED'
  if (spender.blockhash === undefined) return 'MEMPOOL_CONFLICTED'
  const by = await transaction(core, spender.spendingtxid)
  return by && paysExactly(order, by, outpoint, at) ? 'SETTLED' : 'SPENT'
}

/** An ask commits to the output beside its input, a bid to all of it. */
function paysExactly(
  { side, inspection }: OrderSummary,
  { vin, vout }: Transaction,
  outpoint: Outpoint,
  at: number,
): boolean {
  const pays = (there: number, here: number) =>
    vout[there]?.scriptPubKey.hex === inspection.outputScriptsHex[here] &&
    Math.round((vout[there]?.value ?? 0) * SATS) === Number(inspection.outputValuesSats[here])
  if (side === 'ASK')
    return pays(
      vin.findIndex((i) => i.txid === outpoint.txid && i.vout === outpoint.vout),
      at,
    )
  const inputs = inspection.inputOutpoints.map(({ txid, vout: n }) => `${txid}:${n}`)
  return (
    vin.map((input) => `${input.txid}:${input.vout}`).join() === inputs.join() &&
    vout.length === inspection.outputCount &&
    vout.every((_, n) => pays(n, n))
  )
}

/** Null: neither in the mempool nor in the transaction index. */
async function transaction(core: Core, txid: string): Promise<Transaction | null> {
  try {
    return Transaction.parse(await core.rpc('getrawtransaction', txid, true))
  } catch (error) {
    if (error instanceof CoreError) return null
    throw error
  }
}

async function misplaced(
  { ord }: RealChain,
  { assets }: OrderSummary,
  { txid, vout }: Outpoint,
): Promise<string | null> {
  const answer = await fetch(`${ord.url}/output/${txid}:${vout}`, {
    headers: { accept: 'application/json' },
  })
  const { indexed, inscriptions } = Held.parse(await answer.json())
  if (!indexed) return 'the index has not seen its output'
  const sold = assets.map(({ inscriptionId }) => inscriptionId)
  return [...sold].sort().join() === [...inscriptions].sort().join()
    ? null
    : `the index finds ${inscriptions.join() || 'nothing'} in its output`
}
