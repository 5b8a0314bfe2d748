import { text } from 'node:stream/consumers'
import { expect, test, vi } from 'vitest'
import type { StreamEvents } from '../../../src/gateway/streaming/stream-changes.ts'
import { eventStream } from '../../../src/http/streams/event-stream.ts'

const LONG_MS = 60_000

const FAT = { event: 'heartbeat', id: '1', data: 'x'.repeat(10_000) } as const

test('each event is a block with its id, its name and one line of data', async () => {
  async function* events(): StreamEvents {
    yield [
      { event: 'change', id: 'a', data: '{}' },
      { event: 'resync-required', data: '{"reason":"too_old"}' },
    ]
  }
  expect(await text(eventStream(events(), LONG_MS, () => {}))).toBe(
    'retry: 1000\n\nid: a\nevent: change\ndata: {}\n\nevent: resync-required\ndata: {"reason":"too_old"}\n\n',
  )
})

test('a reader that consumes nothing is dropped; until then no more is produced than is buffered', async () => {
  const drop = vi.fn()
  let made = 0
  async function* events(): StreamEvents {
    for (; made < 1_000; made += 1) yield [FAT]
  }
  const stream = eventStream(events(), 20, drop)
  stream.read(0)
  await vi.waitFor(() => expect(drop).toHaveBeenCalled(), { timeout: 5_000 })
  expect(made).toBeLessThan(10)
  stream.destroy()
})
