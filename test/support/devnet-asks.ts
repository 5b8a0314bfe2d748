import { accountOf } from '../../src/adapters/devnet/wallet.ts'
import { DEVNET_BASE } from '../../src/schemas/devnet.ts'
import type { OrderSummary } from '../../src/schemas/order.ts'
import type { Outpoint } from '../../src/schemas/scalars.ts'

export interface ApiAnswer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: an answer of the API, looked into by its test.
  body: any
}

/** A service that sheds load says so: then it comes again, as a client would. */
const OVERLOADED_MS = 500

/** Speaks to a service in another process. */
export async function ask(address: string, path: string, body?: object): Promise<ApiAnswer> {
  const url = path.startsWith('/') ? `${address}${path}` : `${address}/api/market/${path}`
  const answer = await fetch(url, {
    ...(body && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  })
  const { status, headers } = answer
  const answered: ApiAnswer = { status, headers, body: await answer.json() }
  if (status !== 503 || answered.body.code !== 'OVERLOADED') return answered
  await new Promise((resolve) => setTimeout(resolve, OVERLOADED_MS))
  return ask(address, path, body)
}

const POSTAGE = 10_000

/** An ask that somebody of the service's own devnet signed for a coin made for it; base64. */
export async function makeAsk(address: string, label: string): Promise<string> {
  const seller = accountOf(label, 'p2tr')
  const { body } = await ask(address, `${DEVNET_BASE}/fund`, {
    address: seller.address,
    sats: String(POSTAGE),
  })
  const coin = { outpoint: body.outpoint as Outpoint, scriptHex: seller.scriptHex }
  return seller.ask(
    { ...coin, valueSats: String(POSTAGE) },
    { scriptHex: seller.scriptHex, valueSats: '50000' },
  )
}

/** A new ask in the book of the service. */
export async function importAsk(address: string, label: string): Promise<OrderSummary> {
  const { status, body } = await ask(address, 'orders/import', {
    psbt: await makeAsk(address, label),
  })
  if (status !== 201) throw new Error(`the import was answered ${status}: ${JSON.stringify(body)}`)
  return body as OrderSummary
}
