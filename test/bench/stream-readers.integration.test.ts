import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { forkPinned, OTHER_CORE } from '../../bench/lines/processes/pinned.ts'
import type { StreamFigures } from '../../bench/lines/processes/stream-readers.ts'

const READERS = 4
const frame = (): string =>
  `id: 1\nevent: change\ndata: {"observedAt":"${new Date().toISOString()}"}\n\n`

/** Streams of a server, and the readers of the bench on them. */
async function opened() {
  const streams: ServerResponse[] = []
  const server = createServer((_, response) => {
    streams.push(response)
    response.writeHead(200).write('event: snapshot\ndata: {}\n\n')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const readers = forkPinned({ module: 'stream-readers', core: OTHER_CORE })
  const { port } = server.address() as AddressInfo
  await readers.call('open', { port, readers: READERS, sellers: ['00'] })
  await readers.call('begin')
  return {
    streams,
    figures: (events: number) => readers.call<StreamFigures>('figures', { events, withinMs: 300 }),
    [Symbol.dispose]: () => {
      readers[Symbol.dispose]()
      server.close()
      server.closeAllConnections()
    },
  }
}

test('figures are of all events', async () => {
  using open = await opened()
  for (const stream of open.streams) stream.write(frame())
  expect(await open.figures(READERS)).toMatchObject({ events: READERS })
})

test('there are none where a reader did not get its event', async () => {
  using open = await opened()
  for (const stream of open.streams.slice(1)) stream.write(frame())
  await expect(open.figures(READERS)).rejects.toThrow('3 of 4 events arrived, 0 of 4 streams')
})

test('there are none where a stream has ended, also after its event', async () => {
  using open = await opened()
  for (const stream of open.streams) stream.write(frame())
  await open.figures(READERS)
  open.streams[0]?.destroy()
  await expect
    .poll(() => open.figures(READERS).catch((error: Error) => error.message))
    .toContain('1 of 4 streams have ended')
})
