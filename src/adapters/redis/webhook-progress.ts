import type { WebhookKey, WebhookProgress } from '../../ports/webhooks/webhook-progress.ts'
import { DeliveryProgress } from '../../schemas/webhooks/webhook-records.ts'
import { ServerScript } from './client/server-script.ts'
import { TAGS, taggedRoot } from './rights/key-names.ts'
import type { Keyspace } from './views/keyspace.ts'

/** An entry is its version and the lane's JSON. KEYS: the endpoint. ARGV: partition, version, JSON. */
const SAVE = new ServerScript(`
local have = redis.call('HGET', KEYS[1], ARGV[1])
local version = have and tonumber(string.match(have, '^%d+')) or 0
if version ~= tonumber(ARGV[2]) - 1 then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. ' ' .. ARGV[3])
return 1
`)

/** Progress in Redis, for any number of processes. */
export class RedisWebhookProgress implements WebhookProgress {
  readonly #keyspace: Keyspace

  constructor(keyspace: Keyspace) {
    this.#keyspace = keyspace
  }

  async read(webhook: WebhookKey): Promise<Map<number, DeliveryProgress>> {
    const lanes = await this.#keyspace.run((redis) => redis.hgetall(this.#keyOf(webhook)))
    return new Map(
      Object.entries(lanes).map(([partition, entry]) => [
        Number(partition),
        DeliveryProgress.parse(JSON.parse(entry.slice(entry.indexOf('{')))),
      ]),
    )
  }

  async save(webhook: WebhookKey, partition: number, progress: DeliveryProgress): Promise<boolean> {
    const args = [partition, progress.version, JSON.stringify(progress)]
    const saved = await this.#keyspace.run((redis) => SAVE.run(redis, [this.#keyOf(webhook)], args))
    return saved === 1
  }

  async forget(webhook: WebhookKey): Promise<void> {
    await this.#keyspace.run((redis) => redis.del(this.#keyOf(webhook)))
  }

  #keyOf({ name, generation }: WebhookKey): string {
    return taggedRoot(this.#keyspace.root, TAGS.webhook + name) + generation
  }
}
