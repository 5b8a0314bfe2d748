import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { LmdbStore } from '../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { openIngestCopy } from '../../src/adapters/embedded/log/ingest-store.ts'
import { ingestGroupOf } from '../../src/adapters/kafka/client/names.ts'
import { inTurns } from '../../src/adapters/kafka/ingest-turns.ts'
import { IngestWriter } from '../../src/adapters/kafka/ingest-writer.ts'
import type { KafkaLog } from '../../src/adapters/kafka/log.ts'
import type { IngestCopy, IngestState } from '../../src/ports/log/ingest-store.ts'
import { Turn } from '../../src/runtime/turn.ts'
import { aborted } from '../../src/runtime/until-aborted.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { type OpenedKafkaLog, openKafkaLog } from '../support/log/kafka-log.ts'
import { KafkaServer } from '../support/services/kafka.ts'
import { waitUntil } from '../support/services/programs.ts'
import { systemClock } from '../support/system-clock.ts'

/** Until a consumer whose broker is away has failed once. */
const RESTARTING_MS = 8_000
/** What the broker has answered is known to its members. */
const ARRIVED_MS = 200
/** More than a consumer waits at most before it tries again, and joins its group. */
const JOINED_MS = 1_500

let server: KafkaServer
let opened: OpenedKafkaLog
const directory = temporaryDirectory()
beforeAll(async () => {
  server = await KafkaServer.start()
})
afterAll(async () => {
  await server?.stop()
  directory.drop()
})

const stateOf = (epoch: number): IngestState => ({
  epoch,
  tip: null,
  pending: null,
  owed: { touched: '' },
  index: null,
})

/** Processes that could write the chain. */
const members = new Map<string, Member>()
beforeEach(async () => {
  opened = await openKafkaLog(server, { partitions: 1 })
})
afterEach(async () => {
  for (const member of members.values()) await member.leave()
  members.clear()
  await opened.close()
})

class Member {
  readonly #stop = new AbortController()
  readonly #store: LmdbStore
  readonly #running: Promise<void>
  readonly copy: IngestCopy
  readonly turn = new Turn()
  /** What is written by this one in its turn. */
  writer: IngestWriter | null = null
  failure: unknown = null
  /** Fails the work of the turn. */
  fail = (_reason: Error): void => {}

  private constructor(log: KafkaLog, store: LmdbStore) {
    this.#store = store
    this.copy = openIngestCopy(store)
    const ours = new IngestWriter(log, this.copy, systemClock)
    const { kafka, prefix } = log
    const work = (until: AbortSignal) =>
      ours.run(until, async (writer) => {
        this.writer = writer
        const failed = new Promise<never>((_, reject) => {
          this.fail = reject
        })
        await Promise.race([aborted(until), failed])
        this.writer = null
      })
    this.#running = inTurns(
      { kafka, prefix, clock: systemClock, turn: this.turn },
      { work, wait: (until) => ours.follow(until) },
      this.#stop.signal,
    ).catch((error: unknown) => {
      this.failure = error
    })
  }

  static async join(name: string): Promise<Member> {
    const store = await LmdbStore.open(`${directory.path}/${opened.prefix}${name}`)
    const member = new Member(await opened.another(), store)
    members.set(name, member)
    return member
  }

  get ended(): Promise<void> {
    return this.#running
  }

  async leave(): Promise<void> {
    this.#stop.abort()
    await this.#running
    await this.#store.close()
  }
}

/** Until the group has so many members, and each was given its part. */
async function dividedAmong(members: number): Promise<void> {
  const admin = server.client().admin()
  await admin.connect()
  try {
    await waitUntil(`the group has ${members} members`, async () => {
      const [group] = (await admin.describeGroups([ingestGroupOf(opened.prefix)])).groups
      return group?.state === 'Stable' && group.members.length === members
    })
  } finally {
    await admin.disconnect()
  }
  await delay(ARRIVED_MS)
}

const writing = () => [...members].filter(([, { writer }]) => writer !== null).map(([name]) => name)
const writes = (name: string) => waitUntil(`${name} writes`, () => writing().join() === name)

test('one writes, those that join wait and take nothing away; one that leaves is followed at once', async () => {
  await Member.join('first')
  await writes('first')
  const writer = members.get('first')?.writer
  for (const [at, name] of ['a', 'b', 'c'].entries()) {
    const joined = await Member.join(name)
    await dividedAmong(2 + at)
    expect([writing(), joined.turn.isOurs]).toEqual([['first'], false])
  }
  // It was not interrupted.
  expect(members.get('first')?.writer).toBe(writer)
  await members.get('first')?.leave()
  members.delete('first')
  await waitUntil('another one writes', () => writing().length === 1)
  expect([...members.values()].filter(({ turn }) => turn.isOurs)).toHaveLength(1)
})

test('one that waits has read what the writer stored before its turn comes', async () => {
  const first = await Member.join('first')
  await writes('first')
  const waiting = await Member.join('waiting')
  await first.writer?.save({ state: stateOf(7) })
  await waitUntil('the copy has it', async () => (await waiting.copy.state()) !== null)
  expect(await waiting.copy.state()).toEqual(stateOf(7))
  expect(waiting.turn.isOurs).toBe(false)
})

test('one whose work fails gives up its turn, and the other one continues', async () => {
  const first = await Member.join('first')
  await writes('first')
  await Member.join('second')
  first.fail(new Error('the disk is full'))
  await first.ended
  expect([first.failure, first.turn.isOurs]).toEqual([new Error('the disk is full'), false])
  await waitUntil('the second has its turn', () => members.get('second')?.turn.isOurs ?? false)
})

test('a writer outside the group takes the log: the one that has the turn fails, writes no more', async () => {
  const first = await Member.join('first')
  await writes('first')
  const store = await LmdbStore.open(`${directory.path}/outside`)
  const outside = new IngestWriter(await opened.another(), openIngestCopy(store), systemClock)
  await outside.run(new AbortController().signal, async (writer) => {
    await writer.save({ state: stateOf(9) })
    await expect(first.writer?.save({ state: stateOf(8) })).rejects.toThrow(/was taken over/)
    expect(await writer.state()).toEqual(stateOf(9))
  })
  await store.close()
})

test('one that failed while the brokers were away takes no turn of another one once they are back', async () => {
  const first = await Member.join('first')
  await writes('first')
  await server.halt()
  await expect(first.writer?.save({ state: stateOf(1) })).rejects.toThrow()
  // Its consumer is being restarted by now.
  await delay(RESTARTING_MS)
  first.fail(new Error('the brokers are away'))
  await first.ended
  await server.resume()
  const second = await Member.join('second')
  await waitUntil('the second has its turn', () => second.turn.isOurs)
  await delay(JOINED_MS)
  expect([first.turn.isOurs, second.turn.isOurs, second.failure]).toEqual([false, true, null])
})
