import { afterEach, describe, expect, test } from 'vitest'
import { Publisher } from 'zeromq'
import { nodeChanges } from '../../../src/adapters/bitcoind/changes.ts'
import type { NodeChange } from '../../../src/ports/authorities/full-node.ts'
import type { Clock } from '../../../src/runtime/clock.ts'
import { freePort, waitUntil } from '../../support/services/programs.ts'
import { systemClock } from '../../support/system-clock.ts'
import { framesOf, readRecording, sequenceFrames, type ZmqMessage } from './zmq-recording.ts'

const HASH = 'ab'.repeat(32)
const POLL_MS = 50

interface Reader {
  readonly heard: readonly NodeChange[]
  kinds(): readonly string[]
  stop(): Promise<void>
}

/** Reads changes until stopped; `held` makes it as slow a reader as the test wants. */
function read(
  zmqUrls: readonly string[],
  held: Promise<unknown> = Promise.resolve(),
  clock: Clock = systemClock,
): Reader {
  const abort = new AbortController()
  const heard: NodeChange[] = []
  const reading = (async () => {
    const options = { zmqUrls, pollMs: POLL_MS, clock, signal: abort.signal }
    for await (const change of nodeChanges(options)) {
      heard.push(change)
      if (change.kind !== 'poll') await held
    }
  })()
  return {
    heard,
    kinds: () => heard.filter(({ kind }) => kind !== 'poll').map(({ kind }) => kind),
    stop: async () => {
      abort.abort()
      await reading
    },
  }
}

const publishers: Publisher[] = []
let reader: Reader | undefined
afterEach(async () => {
  await reader?.stop()
  for (const publisher of publishers.splice(0)) publisher.close()
})

async function publish(url: string, highWaterMark = 0): Promise<Publisher> {
  const publisher = new Publisher({ sendHighWaterMark: highWaterMark, linger: 0 })
  publishers.push(publisher)
  await publisher.bind(url)
  return publisher
}

const endpoint = async () => `tcp://127.0.0.1:${await freePort()}`

/** Sends one message repeatedly until the reader has received it: then it is subscribed. */
async function greet(to: Publisher, from: Reader, counter = 0): Promise<void> {
  await waitUntil('it is subscribed', async () => {
    await to.send(sequenceFrames(`${HASH}43`, counter))
    return from.kinds().includes('connected')
  })
  await new Promise((resolve) => setTimeout(resolve, 3 * POLL_MS))
}

test('without endpoints it polls, at once and repeatedly', async () => {
  reader = read([])
  await waitUntil('three polls', () => (reader?.heard.length ?? 0) >= 3)
  expect(reader.heard.slice(0, 3)).toEqual(
    Array.from({ length: 3 }, () => ({ kind: 'poll', isAlone: true })),
  )
})

test('an endpoint without a publisher is polled as well', async () => {
  reader = read([await endpoint()])
  await waitUntil('three polls', () => (reader?.heard.length ?? 0) >= 3)
  expect(reader.kinds()).toEqual([])
})

describe('a publisher with the frames of a real node', () => {
  const replay = async (to: Publisher, messages: readonly ZmqMessage[]) => {
    for (const message of messages) await to.send(framesOf(message))
  }

  test('reports every step; the restart as one gap', async () => {
    const url = await endpoint()
    const to = await publish(url)
    reader = read([url])
    const steps = readRecording()
    const first = steps[0]?.messages.find(({ topic }) => topic === 'sequence')
    await greet(to, reader, (first?.counter ?? 0) - 1)
    const before = reader.kinds().length
    await replay(
      to,
      steps.flatMap(({ messages }) => messages),
    )
    await waitUntil('the last block', () => reader?.kinds().slice(before).at(-2) === 'gap')
    expect(
      reader
        .kinds()
        .slice(before)
        .filter((kind) => kind === 'gap'),
    ).toHaveLength(1)
    expect(reader.kinds().slice(before)).toEqual([
      ...['connected', 'connected'],
      ...['added', 'removed', 'added', 'added', 'connected', 'added'],
      ...['disconnected', 'added', 'added', 'connected', 'connected'],
      ...['added', 'removed', 'connected'],
      ...['gap', 'connected'],
    ])
  })

  test('a publisher that goes and comes back is a gap, whatever its counters say', async () => {
    const url = await endpoint()
    const to = await publish(url)
    reader = read([url])
    await greet(to, reader, 41)
    to.close()
    await waitUntil('the loss is reported', () => reader?.kinds().at(-1) === 'gap')
    const again = await publish(url)
    const before = reader.kinds().length
    await waitUntil('it is received again', async () => {
      await again.send(sequenceFrames(`${HASH}43`, 42))
      return (reader?.kinds().length ?? 0) > before
    })
    expect(reader.kinds().slice(before, before + 2)).toEqual(['gap', 'connected'])
  })
})

describe('a publisher without news of the mempool', () => {
  const polls = (from: Reader, since: number) =>
    from.heard.slice(since).filter((change) => change.kind === 'poll')
  const ALONE = { kind: 'poll', isAlone: true }

  /** Sends transactions all the time, closer together than two polls. */
  async function sendTransactions(to: Publisher, until: () => boolean): Promise<void> {
    for (let counter = 0; !until(); counter++) {
      await to.send([Buffer.from('rawtx'), Buffer.from('00', 'hex'), counterOf(counter)])
      await new Promise((resolve) => setTimeout(resolve, POLL_MS / 5))
    }
  }
  const counterOf = (counter: number) => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32LE(counter)
    return bytes
  }

  test('of transactions alone is polled as one that pushes nothing, no more often', async () => {
    const url = await endpoint()
    const to = await publish(url)
    const at = read([url])
    reader = at
    const begun = performance.now()
    await sendTransactions(to, () => polls(at, 0).length >= 10)
    expect(performance.now() - begun).toBeGreaterThan(9 * POLL_MS * 0.9)
    expect(at.heard).toEqual(polls(at, 0).map(() => ALONE))
  })

  test('whose changes stop, while transactions come, is polled again after the quiet', async () => {
    const [sequence, transactions] = [await endpoint(), await endpoint()]
    const to = await publish(sequence)
    const others = await publish(transactions)
    let passed = 0
    const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + passed }
    const at = read([sequence, transactions], undefined, clock)
    reader = at
    await greet(to, at)
    const before = at.heard.length
    const until = performance.now() + 4 * POLL_MS
    await sendTransactions(others, () => performance.now() > until)
    expect(polls(at, before)).toEqual([])
    passed = 31_000
    await sendTransactions(others, () => polls(at, before).length >= 3)
    expect(polls(at, before).slice(0, 3)).toEqual([ALONE, ALONE, ALONE])

    await to.send(sequenceFrames(`${HASH}43`, 1_000_000))
    const again = at.heard.length
    await waitUntil('it is heard', () => at.kinds().at(-1) === 'connected')
    await new Promise((resolve) => setTimeout(resolve, 4 * POLL_MS))
    expect(polls(at, again + 4)).toEqual([])
  })

  test('that falls mute is polled as one that pushes nothing, until it pushes', async () => {
    const url = await endpoint()
    const to = await publish(url)
    let passed = 0
    const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + passed }
    const at = read([url], undefined, clock)
    reader = at
    await greet(to, at)
    const before = at.heard.length
    passed = 31_000
    await waitUntil('three polls', () => polls(at, before).length >= 3)
    expect(at.heard.slice(before, before + 3)).toEqual([ALONE, ALONE, ALONE])
  })
})

describe('more messages than a reader can take', () => {
  test('a high water mark of one drops some: the next to arrive reveals it', async () => {
    const url = await endpoint()
    const to = await publish(url, 1)
    reader = read([url])
    await greet(to, reader, 0)
    const before = reader.kinds().length
    for (let counter = 1; counter <= 20_000; counter++)
      await to.send(sequenceFrames(`${HASH}43`, counter))
    await waitUntil('the burst is over', async () => {
      const heard = reader?.heard.length
      await new Promise((resolve) => setTimeout(resolve, 100))
      return heard === reader?.heard.length
    })
    await to.send(sequenceFrames(`${HASH}43`, 20_001))
    await waitUntil('a gap', () => reader?.kinds().slice(before).includes('gap') ?? false)
    const kinds = reader.kinds().slice(before)
    expect(kinds.length).toBeLessThan(20_001)
  })

  test('a burst of 10,000 waits for a slow reader and none is lost', async () => {
    const url = await endpoint()
    const to = await publish(url)
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const slow = read([url], held)
    reader = slow
    await waitUntil('it is subscribed', async () => {
      await to.send(sequenceFrames(`${HASH}43`, 0))
      return slow.kinds().length > 0
    })
    for (let counter = 1; counter <= 10_000; counter++)
      await to.send(sequenceFrames(`${HASH}41${'00'.repeat(8)}`, counter))
    release()
    await waitUntil(
      'all are read',
      () => slow.kinds().filter((kind) => kind === 'added').length === 10_000,
    )
  })
})
