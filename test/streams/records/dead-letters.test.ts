import { expect, test } from 'vitest'
import { deadLetters } from '../../../src/adapters/log/step-records.ts'
import { TOPICS } from '../../../src/schemas/log.ts'
import type { OrderRecord } from '../../../src/schemas/order-record.ts'
import { retryLetter, wantedLetters } from '../../../src/streams/records/dead-letters.ts'
import { MemoryLog } from '../../support/log/memory-log.ts'
import { watermark } from '../../support/log/watermarks.ts'
import { commandOf, importOf, outputNews, WorkerHost } from '../../support/log/worker-host.ts'
import { AT, askClaim, evidenceOf } from '../../support/orders/evidence.ts'

const NOW = Date.parse(AT)

/** A log with what the host has set aside. */
async function logOf(host: WorkerHost): Promise<MemoryLog> {
  const log = new MemoryLog(1)
  const { inbox } = TOPICS
  await log.append(
    host.inbox.map(({ value }) => ({ topic: inbox, partition: 0, key: 'any', value })),
  )
  await log.append(deadLetters(0, host))
  return log
}

const inboxOf = ({ records }: MemoryLog) =>
  records.flatMap(({ topic, value }) => (topic === TOPICS.inbox ? [value] : []))

test('a retried command is a new request: each has one outcome, though two operators retry it', async () => {
  const host = new WorkerHost()
  await host.tell([watermark(0), importOf(askClaim(), 'import')])
  await host.answerAll(() => evidenceOf())
  const sound = host.order()
  // A snapshot that no step can continue from, until the cause is mended.
  const broken = { ...sound, state: 'LOST' } as unknown as OrderRecord
  host.snapshots.put([{ schema: 1, kind: 'order', order: broken }])
  host.die()
  await host.tell([commandOf('revalidate', 'first')])
  expect(host.outcomeOf('first')).toMatchObject({ status: 'refused', code: 'INTERNAL' })
  host.snapshots.put([{ schema: 1, kind: 'order', order: sound }])
  host.die()

  const log = await logOf(host)
  const { length } = inboxOf(log)
  let requests = 0
  const newRequestId = () => {
    requests += 1
    return `again ${requests}`
  }
  // Neither has seen what the other wrote.
  const letters = await wantedLetters(log, 'all')
  for (const letter of [...letters, ...letters])
    expect((await retryLetter({ log, now: NOW, newRequestId }, letter)).why).toBeNull()

  await host.tell(inboxOf(log).slice(length))
  await host.answerAll(() => evidenceOf())
  const answered = host.outcomes.map(({ requestId }) => requestId)
  expect(answered.toSorted()).toEqual(['again 1', 'again 2', 'first', 'import'])
  expect(host.outcomeOf('again 1')).toMatchObject({ status: 'done' })
})

test('retried news is appended as it was', async () => {
  const host = new WorkerHost()
  const news = outputNews('seen')
  host.append(news)
  const record = { partition: 0, offset: 0, value: news }
  host.dead.push({ record, reason: 'unreadable: an older release' })
  const log = await logOf(host)
  const [letter] = await wantedLetters(log, 'all')
  if (!letter) throw new Error('there is no letter')
  const newRequestId = () => {
    throw new Error('news is no request')
  }
  expect(await retryLetter({ log, now: NOW, newRequestId }, letter)).toMatchObject({ why: null })
  expect(inboxOf(log)).toEqual([news, news])
})
