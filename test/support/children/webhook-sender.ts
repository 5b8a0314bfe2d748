import { createWebhook } from '../../../src/gateway/webhooks/hand-out-secrets.ts'
import { listWebhooks } from '../../../src/gateway/webhooks/manage-webhooks.ts'
import { bookOf, STATES } from '../orders/order-book.ts'
import { openWebhookBench } from '../webhooks/webhook-bench.ts'

// Writes changes of its own orders, prints which were acknowledged (`<order>:<seq>` a line), and
// sends everything to the endpoint until it is killed. Arguments: directory, URL, number of the
// round, changes.
const [path = '', url = '', round = '0', changes = '0'] = process.argv.slice(2)
const bench = await openWebhookBench({ path })
if ((await listWebhooks(bench.office)).webhooks.length === 0) {
  await createWebhook(bench.office, { name: 'all', url, filter: { includeWithdrawn: true } })
}
bench.send()
const orders = bookOf(4, 100 + Number(round))
for (let n = 0; n < Number(changes); n += 1) {
  const order = orders[n % orders.length]
  if (!order) throw new Error('the book is empty')
  const state = STATES[n % STATES.length] ?? 'LIVE'
  const { seq } = await bench.lifecycle.write(order, { state }, 'transition')
  process.stdout.write(`${order.id}:${seq}\n`)
}
