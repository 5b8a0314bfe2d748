import { StorageUnavailableError } from '../../../ports/log/storage-errors.ts'
import type { NextViews, ViewBatch } from '../../../ports/views/order-views.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { repliesOf } from '../client/connection.ts'
import { ServerScript } from '../client/server-script.ts'
import { scanKeys, serversOf } from '../client/servers.ts'
import { KEY_NAMES, META_FIELDS, VIEWS } from '../rights/key-names.ts'
import { type DocumentPool, openDocumentPool } from './document-pool.ts'
import { announce } from './hand-over.ts'
import { type Generation, type Keyspace, newName } from './keyspace.ts'
import { ViewWriter } from './view-writer.ts'

/** Keys scanned per command. */
const SCAN_STEP = 500
const HOLD_MS = 2_000

/**
 * KEYS: the prefix of all keys. ARGV: the generation that replaces the current one. The positions
 * shown include positions still being written, which readers may have seen.
 */
const TAKE_OVER = new ServerScript(`
local root, name = KEYS[1], ARGV[1]
local meta = root .. '${KEY_NAMES.meta}'
if redis.call('HGET', meta, '${META_FIELDS.next}') ~= name then return 'lost' end
local p, old = root .. '${VIEWS}' .. name .. ':', root .. '${VIEWS}' .. redis.call('HGET', meta, '${META_FIELDS.current}') .. ':'
for _, offsets in ipairs({ 'positions', 'writing' }) do
  local shown = redis.call('HGETALL', old .. offsets)
  for i = 1, #shown, 2 do
    local have = tonumber(redis.call('HGET', p .. 'positions', shown[i]) or '0')
    if have < tonumber(shown[i + 1]) then return 'behind' end
  end
end
redis.call('COPY', old .. 'freshness', p .. 'freshness', 'REPLACE')
redis.call('HSET', meta, '${META_FIELDS.current}', name)
redis.call('HDEL', meta, '${META_FIELDS.next}', '${META_FIELDS.filled}')
redis.call('DEL', root .. '${KEY_NAMES.hold}')
return 'done'
`)

/** Views rebuilt under another prefix, beside the current ones. */
export class RedisNextViews implements NextViews {
  readonly #keyspace: Keyspace
  readonly #clock: Clock
  readonly #generation: Generation
  readonly #writer: ViewWriter
  readonly #documents: DocumentPool

  /** The last rebuild to begin continues; an earlier rebuild stops at its next write. */
  static async begin(keyspace: Keyspace, clock: Clock): Promise<RedisNextViews> {
    await keyspace.current()
    const name = newName()
    await keyspace.run((redis) => redis.hset(keyspace.meta, META_FIELDS.next, name))
    return new RedisNextViews(keyspace, clock, name)
  }

  private constructor(keyspace: Keyspace, clock: Clock, name: string) {
    this.#keyspace = keyspace
    this.#clock = clock
    const generation: Generation = { role: META_FIELDS.next, name }
    this.#generation = generation
    this.#documents = openDocumentPool(clock)
    const target = async () => {
      await this.#mustBeOurs()
      return generation
    }
    this.#writer = new ViewWriter(keyspace, clock, target, this.#documents.make)
  }

  apply(batch: ViewBatch): Promise<void> {
    return this.#writer.apply(batch)
  }

  async position(partition: number): Promise<number> {
    const read = await this.#keyspace.readOf(this.#generation, (pipeline, prefix) =>
      pipeline.hget(`${prefix}positions`, String(partition)),
    )
    if (!read) throw stopped()
    const position = Number(read[0] ?? 0)
    this.#writer.found(partition, position)
    return position
  }

  async announce(signal: AbortSignal): Promise<void> {
    await this.#mustBeOurs()
    await announce(this.#keyspace, this.#generation, this.#clock, signal)
  }

  async shown(): Promise<ReadonlyMap<number, number>> {
    const offsets = (await this.#keyspace.read((pipeline, prefix) =>
      pipeline.hgetall(`${prefix}positions`).hgetall(`${prefix}writing`),
    )) as Record<string, string>[]
    const shown = new Map<number, number>()
    for (const [partition, offset] of offsets.flatMap((fields) => Object.entries(fields))) {
      const known = shown.get(Number(partition)) ?? 0
      shown.set(Number(partition), Math.max(known, Number(offset)))
    }
    return shown
  }

  async hold(): Promise<void> {
    const { root } = this.#keyspace
    const { name } = this.#generation
    await this.#keyspace.run((redis) => redis.set(root + KEY_NAMES.hold, name, 'PX', HOLD_MS))
  }

  async release(): Promise<void> {
    await this.#keyspace.run((redis) => redis.del(this.#keyspace.root + KEY_NAMES.hold))
  }

  async takeOver(): Promise<boolean> {
    const { root } = this.#keyspace
    const { name } = this.#generation
    const answer = await this.#keyspace.run((redis) => TAKE_OVER.run(redis, [root], [name]))
    if (answer === 'lost') throw stopped()
    if (answer === 'done') await this.#documents.close()
    return answer === 'done'
  }

  async *removeOthers(): AsyncIterable<number> {
    const all = this.#keyspace.root + VIEWS
    const servers = await this.#keyspace.run(async (redis) => serversOf(redis))
    const steps = scanKeys(servers, `${all}*`, SCAN_STEP)
    for (;;) {
      const step = await this.#keyspace.run(() => steps.next())
      if (step.done) return
      // Read after the scan: every key found belongs to views that had begun before.
      const standing = await this.#keyspace.run((redis) =>
        redis.hmget(this.#keyspace.meta, META_FIELDS.current, META_FIELDS.next),
      )
      const others = step.value.filter((key) => !standing.includes(generationOf(key, all)))
      // One key a command: Redis frees the memory of a key in the background.
      await this.#keyspace.run(async (redis) => {
        const pipeline = redis.pipeline()
        for (const key of others) pipeline.unlink(key)
        repliesOf(await pipeline.exec())
      })
      yield others.length
    }
  }

  async abandon(): Promise<void> {
    await this.#documents.close()
    await this.#mustBeOurs()
    const fields = [META_FIELDS.next, META_FIELDS.filled]
    await this.#keyspace.run((redis) => redis.hdel(this.#keyspace.meta, ...fields))
  }

  async #mustBeOurs(): Promise<void> {
    const { meta } = this.#keyspace
    const building = await this.#keyspace.run((redis) => redis.hget(meta, META_FIELDS.next))
    if (building !== this.#generation.name) throw stopped()
  }
}

const generationOf = (key: string, all: string): string =>
  key.slice(all.length, key.indexOf(':', all.length))

const stopped = (): StorageUnavailableError =>
  new StorageUnavailableError(
    'taken-over',
    'another process is rebuilding the views, or Redis was flushed: this rebuild was abandoned',
  )
