import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { inflateRaw } from 'node:zlib'
import type { Redis } from 'ioredis'
import { open } from 'lmdb'
import {
  DICTIONARY,
  environmentOf,
  recordsWith,
} from '../../../src/adapters/embedded/lmdb/lmdb-environment.ts'
import { KafkaLog } from '../../../src/adapters/kafka/log.ts'
import { topicPartitionsOf } from '../../../src/adapters/log/topic-partitions.ts'
import { TOPICS } from '../../../src/schemas/log.ts'
import { systemClock } from '../system-clock.ts'

const inflate = promisify(inflateRaw)

/** A stored text, and where it was found. */
export interface Kept {
  place: string
  bytes: Buffer
}

/** Where these texts are stored, or their bytes when they are hex, in either order of a txid. */
export async function placesOf(
  texts: readonly string[],
  kept: AsyncIterable<Kept>,
): Promise<string[]> {
  const wanted = texts.flatMap(formsOf)
  const places = new Set<string>()
  for await (const { place, bytes } of kept) {
    const unpacked = await inflate(bytes).catch(() => null)
    const found = [bytes, ...(unpacked ? [unpacked] : []), Buffer.from(place)]
    if (found.some((one) => wanted.some((text) => one.includes(text)))) places.add(place)
  }
  return [...places]
}

function formsOf(text: string): Buffer[] {
  if (!/^[0-9a-f]{64}$/.test(text)) return [Buffer.from(text)]
  const bytes = Buffer.from(text, 'hex')
  return [Buffer.from(text), bytes, Buffer.from(bytes).reverse()]
}

/** Every record of every topic on the broker. */
export async function* keptInKafka(broker: string, partitions: number): AsyncGenerator<Kept> {
  const log = await KafkaLog.open({
    brokers: [broker],
    clientId: 'search',
    prefix: '',
    network: 'regtest',
    partitions,
    clock: systemClock,
    snapshots: () => Promise.reject(new Error('who searches owns no partition')),
    onLog: () => {},
  })
  try {
    for (const topic of Object.values(TOPICS)) {
      for (let partition = 0; partition < topicPartitionsOf(topic, partitions); partition += 1) {
        for await (const batch of log.stored(topic, partition, 0)) {
          for (const { value } of batch) {
            yield { place: `${topic} ${partition}`, bytes: Buffer.from(JSON.stringify(value)) }
          }
        }
      }
    }
  } finally {
    await log.close()
  }
}

/** Every key of a Redis with its value. */
export async function* keptInRedis(redis: Redis): AsyncGenerator<Kept> {
  for (const key of await redis.keys('*')) {
    for (const bytes of await valuesOf(redis, key)) yield { place: key, bytes }
  }
}

async function valuesOf(redis: Redis, key: string): Promise<Buffer[]> {
  switch (await redis.type(key)) {
    case 'string':
      return [(await redis.getBuffer(key)) ?? Buffer.alloc(0)]
    case 'hash':
      return Object.entries(await redis.hgetallBuffer(key))
        .flat()
        .map((part) => Buffer.from(part))
    case 'zset':
      return await redis.zrangeBuffer(key, 0, -1)
    case 'set':
      return await redis.smembersBuffer(key)
    default:
      return [Buffer.from(JSON.stringify(await redis.dumpBuffer(key)))]
  }
}

/** Every entry of every table of an LMDB environment whose process has ended. */
export async function* keptInLmdb(directory: string): AsyncGenerator<Kept> {
  const root = open({ ...environmentOf(directory), readOnly: true })
  try {
    const dictionary = root
      .openDB<Buffer, string>({ name: DICTIONARY.table, encoding: 'binary' })
      .get(DICTIONARY.key)
    for (const name of [...root.getKeys()]) {
      const table = root.openDB<Buffer, Buffer>({
        ...(dictionary && recordsWith(dictionary)),
        name: String(name),
        encoding: 'binary',
        keyEncoding: 'binary',
      })
      for (const { key, value } of table.getRange()) {
        yield { place: String(name), bytes: Buffer.concat([key, Buffer.from(value)]) }
      }
    }
  } finally {
    await root.close()
  }
}

/** The contents of a heap snapshot, as text. */
export async function* keptInMemory(heapFile: string): AsyncGenerator<Kept> {
  yield { place: 'memory', bytes: readFileSync(heapFile) }
}
