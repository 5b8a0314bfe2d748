import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { clickHouseGrantLines, clickHouseGrants } from '../../src/operator/acl/clickhouse-grants.ts'
import { kafkaAcl, kafkaAclLines } from '../../src/operator/acl/kafka-acls.ts'
import { redisAcl, redisAclLines } from '../../src/operator/acl/redis-acl.ts'
import { needsOfCommand } from '../../src/roles/rights/needs-of.ts'
import { needsOfRole } from '../../src/roles/rights/role-needs.ts'
import { Config } from '../../src/schemas/config/config.ts'
import { ROOT } from '../support/tree.ts'

// What the operations page shows of `market acl` is what it prints.

test('the lines of the page are those that are printed', () => {
  const page = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8').split('\n')
  const shownAfter = (command: string) => {
    const lines = page.slice(page.indexOf(command) + 1)
    const end = lines.findIndex((line) => line.startsWith('$') || line.startsWith('```'))
    return lines.slice(0, end).filter((line) => line !== '…')
  }
  const config = Config.parse({ KAFKA_BROKERS: 'kafka:9092' })
  const pairing = kafkaAclLines(config, kafkaAcl(config, needsOfRole('pairing'), 'pairing'))
  const shown = shownAfter('$ market acl kafka --role pairing --user pairing')
  expect(shown).toHaveLength(3)
  expect(pairing).toEqual(expect.arrayContaining(shown))
  expect(shownAfter('$ market acl redis --command usage')).toEqual(
    redisAclLines(redisAcl(config, needsOfCommand('usage', 'all'))),
  )
  expect(shownAfter('$ market acl clickhouse --role gateway --user gateway')).toEqual(
    clickHouseGrantLines(clickHouseGrants(config, needsOfRole('gateway'), 'gateway')),
  )
})
