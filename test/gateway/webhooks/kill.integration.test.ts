import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporaryDirectory } from '../../support/embedded.ts'
import { type Child, startChild } from '../../support/services/child.ts'
import { eventually } from '../../support/webhooks/eventually.ts'
import {
  openWebhookReceiver,
  type WebhookReceiver,
} from '../../support/webhooks/webhook-receiver.ts'

const ROUNDS = Number(process.env['KILL_ROUNDS'] ?? 1)
const CHANGES = 12

let receiver: WebhookReceiver
beforeAll(async () => {
  receiver = await openWebhookReceiver()
})
afterAll(() => receiver.close())

test('what a sender that is killed in a delivery had not delivered, its successor delivers, in order', async () => {
  const { path, drop } = temporaryDirectory()
  const told: string[] = []
  let child: Child | null = null
  let left = 0
  receiver.answer = (_one, response) => {
    left -= 1
    // The change is delivered, but the sender never learns it.
    if (left === 0) child?.process.kill('SIGKILL')
    else response.writeHead(204).end()
  }
  for (let round = 0; round < 2 * ROUNDS; round += 1) {
    left = 5 + round
    child = startChild('webhook-sender', [path, receiver.url('/all'), `${round}`, `${CHANGES}`])
    for await (const change of child.lines) told.push(change)
    expect(await child.ended).toBe('SIGKILL')
  }
  const last = startChild('webhook-sender', [path, receiver.url('/all'), `${2 * ROUNDS}`, '1'])
  const lines = (async () => {
    for await (const change of last.lines) told.push(change)
  })()
  const arrived = () => new Set(receiver.received.map(({ id }) => id))
  await eventually(() => told.length > 0 && told.every((change) => arrived().has(change))).toBe(
    true,
  )
  last.process.kill('SIGKILL')
  await lines
  // What was appended but not yet reported when it was killed may have arrived too.
  const seqsOf = (order: string) =>
    [...arrived()].filter((id) => id.startsWith(order)).map((id) => Number(id.split(':')[1]))
  for (const order of new Set([...arrived()].map((id) => id.split(':')[0] ?? ''))) {
    const seqs = seqsOf(order)
    expect(seqs).toEqual(seqs.map((_, n) => n + 1))
  }
  // At most what was in flight, in each of two partitions, was sent twice at each kill.
  expect(receiver.received.length - arrived().size).toBeLessThanOrEqual(2 * 2 * ROUNDS)
  drop()
}, 120_000)
