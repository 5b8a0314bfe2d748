import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { clickHouseGrantLines, clickHouseGrants } from '../../src/operator/acl/clickhouse-grants.ts'
import { type KafkaAcl, kafkaAcl } from '../../src/operator/acl/kafka-acls.ts'
import { redisAcl, redisAclLines } from '../../src/operator/acl/redis-acl.ts'
import { needsOfRole } from '../../src/roles/rights/role-needs.ts'
import { Config } from '../../src/schemas/config/config.ts'
import { documentedMethods } from '../support/services/rpc-whitelist.ts'
import { objectsOf, of } from './manifests.ts'
import { APART, BASE_VARIABLES, containerOf, workload } from './settings.ts'

// The component `logins` against what `market acl` prints, and against the secrets that the workloads read.

const FOLDER = 'components/logins'
const linesOf = (file: string): string[] =>
  readFileSync(`deploy/k8s/${FOLDER}/${file}`, 'utf8').trim().split('\n')
const userOf = (role: string): string => `market-${role}`
const secretOf = (role: string): string => `login-${role}`

/** A password, and the variable of the user that it is of. */
const LOGINS = {
  KAFKA_SASL_PASSWORD: 'KAFKA_SASL_USERNAME',
  REDIS_PASSWORD: 'REDIS_USER',
  CLICKHOUSE_PASSWORD: 'CLICKHOUSE_USER',
  BITCOIN_RPC_PASSWORD: 'BITCOIN_RPC_USER',
}
const reads = (role: string, secret: string): boolean =>
  containerOf(role).env.some(({ name }) => name === secret)

const Patch = z.object({
  kind: z.enum(['Deployment', 'StatefulSet']),
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    template: z.object({
      spec: z.object({
        containers: z
          .array(z.object({ name: z.string(), env: z.array(z.looseObject({ name: z.string() })) }))
          .length(1),
      }),
    }),
  }),
})
const patches = of(Patch, objectsOf(`${FOLDER}/logins.yaml`))

test('every workload has its patch, and no other object', () => {
  expect(patches.map(({ kind, metadata }) => [metadata.name, kind])).toEqual(
    APART.map((role) => [role, workload(role).kind]),
  )
})

describe.each(APART)('%s', (role) => {
  const { name, env } = patches.find(({ metadata }) => metadata.name === role)!.spec.template.spec
    .containers[0]!

  test('has every secret that it reads from its own Secret, and none from another', () => {
    expect(name).toBe(containerOf(role).name)
    const secrets = env.filter((one) => 'valueFrom' in one)
    expect(secrets).toEqual(
      containerOf(role).env.map(({ name: key }) => ({
        name: key,
        valueFrom: { secretKeyRef: { name: secretOf(role), key } },
      })),
    )
  })

  test('is its own user wherever it has a password', () => {
    const users = env.filter((one) => !('valueFrom' in one))
    const wanted = Object.entries(LOGINS).filter(([password]) => reads(role, password))
    expect(users).toEqual(wanted.map(([, user]) => ({ name: user, value: userOf(role) })))
  })
})

test('the users of Kafka have exactly the rights that `market acl kafka` prints', () => {
  const config = Config.parse({ KAFKA_PREFIX: BASE_VARIABLES['KAFKA_PREFIX'] })
  expect(objectsOf(`${FOLDER}/kafka-users.yaml`)).toEqual(
    APART.map((role) => ({
      apiVersion: 'kafka.strimzi.io/v1',
      kind: 'KafkaUser',
      metadata: {
        name: userOf(role),
        labels: { 'app.kubernetes.io/name': 'market', 'strimzi.io/cluster': 'kafka' },
      },
      spec: {
        authentication: {
          type: 'scram-sha-512',
          password: {
            valueFrom: { secretKeyRef: { name: secretOf(role), key: 'KAFKA_SASL_PASSWORD' } },
          },
        },
        authorization: {
          type: 'simple',
          acls: rulesOf(kafkaAcl(config, needsOfRole(role), userOf(role))),
        },
      },
    })),
  )
})

/** As Strimzi writes them: the operations of a resource in one rule. */
function rulesOf({ rights }: KafkaAcl) {
  const types = { topic: 'topic', group: 'group', 'transactional-id': 'transactionalId' }
  const rules = new Map<string, { resource: object; operations: string[] }>()
  for (const { resource, name, pattern, operation } of rights) {
    const patternType = pattern === 'prefixed' ? 'prefix' : pattern
    const rule = rules.get(`${resource} ${name}`) ?? {
      resource: { type: types[resource], name, patternType },
      operations: [],
    }
    rule.operations.push(operation)
    rules.set(`${resource} ${name}`, rule)
  }
  return [...rules.values()]
}

test('the users of Redis are the lines that `market acl redis` prints', () => {
  const config = Config.parse({
    REDIS_URL: BASE_VARIABLES['REDIS_URL'] ?? 'redis://redis:6379',
    CURSOR_KEY: 'c'.repeat(32),
  })
  const roles = APART.filter((role) => reads(role, 'REDIS_PASSWORD'))
  expect(linesOf('redis-users.txt')).toEqual(
    roles.flatMap((role) => redisAclLines(redisAcl(config, needsOfRole(role), userOf(role)))),
  )
  // Who has no password there opens none.
  for (const role of APART)
    expect(needsOfRole(role).some(({ redis }) => redis !== null)).toBe(roles.includes(role))
})

test('the users of ClickHouse are the statements that `market acl clickhouse` prints', () => {
  const config = Config.parse({ CLICKHOUSE_DATABASE: BASE_VARIABLES['CLICKHOUSE_DATABASE'] })
  const roles = APART.filter((role) => reads(role, 'CLICKHOUSE_PASSWORD'))
  const linesFor = (role: (typeof APART)[number]) =>
    clickHouseGrantLines(clickHouseGrants(config, needsOfRole(role), userOf(role)))
  const [database = ''] = linesFor('gateway')
  expect(linesOf('clickhouse-users.sql')).toEqual([
    database,
    ...roles.flatMap((role) => linesFor(role).filter((line) => line !== database)),
  ])
  for (const role of APART)
    expect(needsOfRole(role).some(({ history }) => history !== null)).toBe(roles.includes(role))
})

test('the node lets the user of each role that asks it do what the service does, and no more', () => {
  const roles = APART.filter((role) => reads(role, 'BITCOIN_RPC_PASSWORD'))
  expect(linesOf('bitcoin.conf').filter((line) => !line.startsWith('#'))).toEqual([
    'rpcwhitelistdefault=0',
    ...roles.map((role) => `rpcwhitelist=${userOf(role)}:${documentedMethods().join(',')}`),
  ])
})
