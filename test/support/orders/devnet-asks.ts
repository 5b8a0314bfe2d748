import { accountOf } from '../../../src/devnet/people/wallet.ts'
import { DEVNET_BASE } from '../../../src/schemas/api/devnet.ts'
import type { OrderSummary } from '../../../src/schemas/order.ts'
import type { Outpoint } from '../../../src/schemas/scalars.ts'
import { openApiClient } from '../market/api-client.ts'

export interface ApiAnswer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: an answer of the API, looked into by its test.
  body: any
}

/** Talks to a service in another process. */
export function ask(address: string, path: string, body?: object): Promise<ApiAnswer> {
  const api = openApiClient(address)
  return body ? api.post(path, body) : api.get(path)
}

const POSTAGE = 10_000

/** An ask signed by a seller of the service's own devnet for a coin made for it; base64. */
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

/** A new ask in the service's book. */
export async function importAsk(address: string, label: string): Promise<OrderSummary> {
  const { status, body } = await ask(address, 'orders/import', {
    psbt: await makeAsk(address, label),
  })
  if (status !== 201) throw new Error(`the import was answered ${status}: ${JSON.stringify(body)}`)
  return body as OrderSummary
}
