import type { OrderSummary } from '../../../src/schemas/order.ts'
import { HonestClient } from '../abuse/honest-client.ts'
import type { ReaderSkills } from '../abuse/honest-market.ts'
import { honestAddress, Pace } from '../abuse/pace.ts'
import { serveParty } from '../abuse/party.ts'

// Buyers that browse, each from a network of its own. Nothing else runs in their process: the time
// of an answer is the service's.

const READ_EVERY_MS = 40
const PAGES = ['orders', 'orders?sort=price_asc&limit=20', 'orders?state=LIVE&limit=10']

let client: HonestClient
let ids: readonly string[] = []
const pace = new Pace((error) => client.wrong(error))

async function read(n: number): Promise<void> {
  const from = honestAddress(1, n)
  const id = ids[n % ids.length]
  if (n % 2 === 0 && id !== undefined) {
    const order = await client.get<OrderSummary>('read', `orders/${id}`, from)
    if (order && order.state !== 'LIVE') client.wrong(`order ${id} is ${order.state}`)
    return
  }
  await client.get('read', PAGES[n % PAGES.length] ?? '', from)
}

const skills: ReaderSkills = {
  open: (address) => {
    client = new HonestClient(address)
  },
  follow: (live) => {
    ids = live
  },
  work: () => pace.every(READ_EVERY_MS, read),
  rest: () => pace.rest(),
  report: () => client.report(),
}
serveParty(skills)
