import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { REDIS_USES, type RedisUse } from '../../src/adapters/redis/rights/redis-uses.ts'
import { TRIED_COMMANDS } from '../../src/adapters/redis/rights/tried-commands.ts'
import { program } from '../../src/cli/program.ts'
import { clickHouseGrantLines, clickHouseGrants } from '../../src/operator/acl/clickhouse-grants.ts'
import { kafkaAcl, kafkaAclLines } from '../../src/operator/acl/kafka-acls.ts'
import { redisAcl, redisAclLines } from '../../src/operator/acl/redis-acl.ts'
import { operatorContext } from '../../src/operator/log/open-existing.ts'
import { LocalStore } from '../../src/roles/open/local-store.ts'
import { openHistory } from '../../src/roles/open/open-history.ts'
import { openLog } from '../../src/roles/open/open-log.ts'
import { usesRedis } from '../../src/roles/open/redis-address.ts'
import { openRedisStores } from '../../src/roles/open/redis-stores.ts'
import { SERVER_COMMANDS } from '../../src/roles/rights/command-needs.ts'
import { needsOfAll, needsOfCommand } from '../../src/roles/rights/needs-of.ts'
import { needsOfRole } from '../../src/roles/rights/role-needs.ts'
import { NeedsNotListedError } from '../../src/roles/rights/server-needs.ts'
import { Config, type Role } from '../../src/schemas/config/config.ts'
import { filesBelow, ROOT } from '../support/tree.ts'

const config = Config.parse({
  KAFKA_BROKERS: 'kafka-0:9092,kafka-1:9092',
  KAFKA_PREFIX: 'shop.',
  REDIS_URL: 'redis://127.0.0.1:1',
  REDIS_PREFIX: 'shop',
  CURSOR_KEY: 'a-cursor-key-of-more-than-32-characters',
})

/** Commands that open no server; `start` has the rights of its role. */
const OPEN_NONE = [
  ...['start', 'status', 'watch', 'config', 'verify-bundle', 'operator token'],
  ...['acl kafka', 'acl redis', 'acl clickhouse', 'import', 'verify-backup'],
  ...['create', 'list', 'rotate', 'revoke'].map((act) => `keys ${act}`),
  ...['create', 'list', 'rotate', 'disable', 'enable', 'retry', 'deliveries', 'delete'].map(
    (act) => `webhooks ${act}`,
  ),
  ...['keygen', 'sign', 'verify', 'verify-proof', 'divergence', 'plan'].map(
    (act) => `pairing ${act}`,
  ),
  ...['snapshot', 'verify', 'diff', 'plan'].map((act) => `circles ${act}`),
  ...['fund', 'inscribe', 'send', 'mine', 'reorg', 'circle', 'close'].map((act) => `devnet ${act}`),
  ...['create', 'move', 'pair', 'unpair', 'release'].map((act) => `devnet objects ${act}`),
  'completion',
]

const leavesOf = (command: Command, path: readonly string[] = []): string[] =>
  command.commands.length === 0
    ? [path.join(' ')]
    : command.commands.flatMap((one) => leavesOf(one, [...path, one.name()]))

describe('the table of rights', () => {
  test('has a row for each command, or it is known to open no server', () => {
    const known = [...SERVER_COMMANDS, ...OPEN_NONE].filter((name) => name !== 'complete')
    const typed = leavesOf(program).filter((name) => name !== 'complete')
    expect(typed.toSorted()).toEqual(known.toSorted())
  })

  test('is what opens a server: without a row there it stays closed', async () => {
    await using context = operatorContext(config, null)
    const local = new LocalStore(context)
    await expect((async () => openLog(context, local))()).rejects.toThrow(NeedsNotListedError)
    if (!usesRedis(config)) throw new Error('the configuration names no Redis')
    await expect(openRedisStores(config, context)).rejects.toThrow(NeedsNotListedError)
    expect(() => openHistory(context, 'read')).toThrow(NeedsNotListedError)
    await using reader = operatorContext(config, 'lag')
    expect(() => openHistory(reader, 'write')).toThrow(NeedsNotListedError)
  })

  test('has the commands that the scripts of each store send, and tries each command', () => {
    const USE_OF: Record<string, RedisUse[]> = {
      'built-asks.ts': ['builds'],
      'idempotency.ts': ['idempotency'],
      'request-counts.ts': ['counts'],
      'unproved-pool.ts': ['pool'],
      'views/next-views.ts': ['rebuildViews'],
      'views/script.ts': ['writeViews'],
      'webhook-progress.ts': ['deliver'],
    }
    const folder = 'src/adapters/redis/'
    const scripts = filesBelow(folder)
      .map((path) => [path.slice(folder.length), readFileSync(join(ROOT, path), 'utf8')] as const)
      .filter(([, text]) => text.includes('redis.call('))
    expect(scripts.map(([path]) => path).toSorted()).toEqual(Object.keys(USE_OF))
    for (const [path, text] of scripts) {
      const sent = [...text.matchAll(/redis\.call\('([A-Z]+)'/g)].map(([, name = '']) =>
        name.toLowerCase(),
      )
      const has = (USE_OF[path] ?? []).flatMap((use): string[] => [...REDIS_USES[use].commands])
      expect(
        sent.filter((name) => !has.includes(name)),
        path,
      ).toEqual([])
    }
    const used = Object.values(REDIS_USES).flatMap(({ commands }): string[] => [...commands])
    expect([...new Set(used)].toSorted()).toEqual(Object.keys(TRIED_COMMANDS).toSorted())
  })
})

describe('the rights printed', () => {
  test('are lines of kafka-acls.sh, with the names of the configuration in force', () => {
    const acl = kafkaAcl(config, needsOfCommand('dlq retry', 'all'), 'CN=the shop')
    const lines = kafkaAclLines(config, acl)
    const add =
      "kafka-acls.sh --bootstrap-server kafka-0:9092,kafka-1:9092 --command-config admin.properties --add --allow-principal 'User:CN=the shop' --operation"
    const of = (name: string) => lines.filter((line) => line.includes(` ${name} `))
    expect(of('shop.orders.inbox')).toEqual([
      `${add} DescribeConfigs --topic shop.orders.inbox --resource-pattern-type literal`,
      `${add} Read --topic shop.orders.inbox --resource-pattern-type literal`,
      `${add} Write --topic shop.orders.inbox --resource-pattern-type literal`,
    ])
    expect(of('shop.orders.lifecycle')).toEqual([
      `${add} Describe --topic shop.orders.lifecycle --resource-pattern-type literal`,
      `${add} DescribeConfigs --topic shop.orders.lifecycle --resource-pattern-type literal`,
    ])
    expect(lines.slice(-2)).toEqual([
      `${add} Read --group shop.market-reader- --resource-pattern-type prefixed`,
      `${add} Write --transactional-id shop.market-append- --resource-pattern-type prefixed`,
    ])
  })

  test('are one rule of ACL SETUSER, whose password is not the one in force', () => {
    const withLogin = { ...config, REDIS_USER: 'shop', REDIS_PASSWORD: 'a-secret' }
    const of = (given: Config) => redisAclLines(redisAcl(given, needsOfCommand('lag', 'all')))
    expect(of(withLogin)).toEqual([
      'ACL SETUSER shop reset on >PASSWORD %R~{shop}:meta %R~{shop}:outcome:* %R~{shop}:tried:* %R~{shop}:v:* resetchannels &{shop}:outcomes +exec +get +hget +hgetall +hkeys +hmget +info +mget +multi +ping +subscribe +type +xrange +xrevrange',
    ])
    const [line] = of({ ...config, REDIS_URL: 'redis://127.0.0.1:1/2' })
    expect(line).toMatch(/^ACL SETUSER market reset .* \+select$/)
  })

  test('are one GRANT that leaves the user no other right, and never the server’s administrator', () => {
    const linesOf = (given: Config, ...[role, user]: [Role, string?]) =>
      clickHouseGrantLines(clickHouseGrants(given, needsOfRole(role), user))
    expect(linesOf({ ...config, CLICKHOUSE_DATABASE: 'shop' }, 'gateway', 'the `shop`')).toEqual([
      'CREATE DATABASE IF NOT EXISTS shop;',
      "CREATE USER IF NOT EXISTS `the \\`shop\\`` IDENTIFIED BY 'PASSWORD';",
      'GRANT SELECT ON shop.* TO `the \\`shop\\`` WITH REPLACE OPTION;',
    ])
    expect(config.CLICKHOUSE_USER).toBe('default')
    const [, , all = ''] = linesOf(config, 'all')
    expect(all).toMatch(/^GRANT SELECT, .* TO market WITH REPLACE OPTION;$/)
    expect(linesOf({ ...config, CLICKHOUSE_USER: 'shop' }, 'all').at(-1)).toMatch(/ TO shop WITH /)
    const writes = (role: Role) =>
      linesOf(config, role)
        .at(-1)
        ?.match(/INSERT ON market\.\w+/g) ?? []
    const folds = [...writes('projector'), ...writes('pairing')]
    expect(new Set(all.match(/INSERT ON market\.\w+/g))).toEqual(new Set(folds))
    expect(linesOf(config, 'ingest')).toEqual(['-- opens no history: no right is needed'])
  })

  test('of a role are some of those of one login for all; none is named twice', () => {
    const all = kafkaAclLines(config, kafkaAcl(config, needsOfAll()))
    expect(new Set(all).size).toBe(all.length)
    const gateway = kafkaAclLines(config, kafkaAcl(config, needsOfRole('gateway')))
    expect(all).toEqual(expect.arrayContaining(gateway.filter((line) => !/Describe /.test(line))))
    const writes = gateway.filter((line) => line.includes('--operation Write'))
    expect(writes.map((line) => / --topic (\S+)/.exec(line)?.[1])).toEqual([
      'shop.customers.keys',
      'shop.market.settings',
      'shop.orders.dead',
      'shop.orders.inbox',
      'shop.webhooks.endpoints',
      undefined,
    ])
    const views = redisAcl(config, needsOfRole('gateway')).rules.filter((one) => /:v:/.test(one))
    expect(views).toEqual(['%R~{shop}:v:*'])
    expect(redisAclLines(redisAcl(config, needsOfRole('ingest')))).toEqual([
      '# opens no Redis: no right is needed',
    ])
  })

  test('stand beside BROKERS where the configuration names none', () => {
    const nowhere = Config.parse({})
    const [line] = kafkaAclLines(nowhere, kafkaAcl(nowhere, needsOfAll()))
    expect(line).toMatch(/^kafka-acls\.sh --bootstrap-server BROKERS --command-config /)
  })
})
