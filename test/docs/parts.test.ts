import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ROOT } from '../support/tree.ts'

// Each row of docs/parts.md says how far its part is known, and by what.

const page = readFileSync(join(ROOT, 'docs/parts.md'), 'utf8')
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('|') && !/^\| --- \|| \| state \| /.test(line))
  .map((line) => {
    const [part = '', state = '', what = '', by = '', ...more] = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
    return { part, state, what, by, more }
  })
const inState = (state: string) => rows.filter((row) => row.state === state)

/** What the test of a part must name, for that part. */
const NAMED: Record<string, RegExp> = {
  'Kafka 4.1, plain': /KafkaServer\.start\(/,
  'TLS, an authority of your own': /KAFKA_TLS_CA_FILE: authority\.cert/,
  'client certificates (Strimzi `type: tls`, MSK)': /KAFKA_TLS_CERT_FILE: cert/,
  'SCRAM-SHA-512 and SCRAM-SHA-256 over TLS': /'SCRAM-SHA-512'[\s\S]+'SCRAM-SHA-256'/,
  'a password in clear, with the rights of `market acl kafka`':
    /KAFKA_SASL_MECHANISM: 'plain'[\s\S]+acl', 'kafka'/,
  'OAUTHBEARER by client credentials (Keycloak, Okta, Entra ID)': /'OAUTHBEARER', \(\) =>/,
  'brokers that create topics by themselves': /'auto\.create\.topics\.enable': 'true'/,
  'a folder': /'backup'/,
  'a bucket of an S3 service of your own (versitygw)': /S3Server\.start\(/,
  'Redis 7, one server': /RedisServer\.start\(/,
  'Valkey 9': /Valkey/,
  'a user with the rights of `market acl redis`': /redisRules\(/,
  'a primary with replicas behind one name, which moves': /replicaof/i,
  'Redis Cluster': /cluster/i,
  'TLS, an authority of your own, with those rights': /tls-port[\s\S]+redisAclLines\(/,
  Sentinel: /'is killed', \(\) => sentinels/,
  'Sentinel with a login of its own': /RedisSentinels\.start\(\{ password \}\)/,
  'ClickHouse’s engine inside the service': /chdb|openEmbeddedHistory/i,
  'a ClickHouse server, as its engine behind its HTTP interface': /ClickHouseServer\.start\(/,
  'a user with the rights of `market acl clickhouse`, on that engine': /historyUsers\(/,
  'Bitcoin Core by cookie': /BITCOIN_RPC_COOKIE_FILE/,
  'Bitcoin Core by a user with a whitelist': /SERVICE_LOGIN/,
  '`ord`, open': /assetIndexContract\('ord', openRealChain\)/,
  '`ord` behind a login, its own or a proxy’s, also for its content and its offers':
    /ASSET_INDEX_USER/,
}

const releases = (
  JSON.parse(readFileSync(join(ROOT, 'releases.json'), 'utf8')) as { version: string }[]
).map(({ version }) => version)

test('every row is of one of three states, and has all of its cells', () => {
  expect(rows.length).toBeGreaterThan(30)
  for (const { part, state, what, more } of rows) {
    expect(['works, tested', 'as documented, untested', 'not supported'], part).toContain(state)
    expect(what, part).not.toBe('')
    expect(more, part).toEqual([])
  }
})

describe('works, tested', () => {
  test.each(inState('works, tested'))('$part: its test is there, and is of it', ({ part, by }) => {
    const [, path = ''] = /^\[[\w-]+\]\(\.\.\/(test\/[\w/.-]+\.test\.ts)\)$/.exec(by) ?? []
    expect(path).not.toBe('')
    expect(existsSync(join(ROOT, path)), path).toBe(true)
    const named = NAMED[part.replaceAll("'", '’')]
    expect(named, 'what its test must name').toBeDefined()
    expect(readFileSync(join(ROOT, path), 'utf8')).toMatch(named!)
  })

  test('has no name for a part that is not on the page', () => {
    const parts = inState('works, tested').map(({ part }) => part.replaceAll("'", '’'))
    expect(Object.keys(NAMED).toSorted()).toEqual(parts.toSorted())
  })
})

test.each(inState('as documented, untested'))('$part says since which release', ({ by }) => {
  const [, version = ''] = /^since (?:the release after )?(\d+\.\d+\.\d+)$/.exec(by) ?? []
  expect(releases).toContain(version)
})

test.each(inState('not supported'))('$part says why, and names no test', ({ what, by }) => {
  expect(what.length).toBeGreaterThan(15)
  expect(by).toBe('')
})
