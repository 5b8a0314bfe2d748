import { expect, test } from 'vitest'
import { Config } from '../../../src/schemas/config/config.ts'

const MAINNET = { BITCOIN_NETWORK: 'mainnet', PUBLIC_ORIGIN: 'https://market.example' }
const NODE = { BITCOIN_RPC_URL: 'https://node.example', BITCOIN_RPC_USER: 'market' }
const KAFKA = { KAFKA_SASL_USERNAME: 'market', KAFKA_SASL_PASSWORD: 'p' }

const problemsOf = (given: Record<string, string>): string[] => {
  const { error } = Config.safeParse({ CURSOR_KEY: 'k'.repeat(32), ...given })
  return (error?.issues ?? []).map(({ path, message }) => `${path.join('.')} ${message}`)
}

/** A login, the address that it goes to in clear, the server, and the same with TLS. */
const LOGINS: [given: Record<string, string>, server: string, withTls: Record<string, string>][] = [
  ...(['plain', 'scram-sha-256', 'scram-sha-512'] as const).map(
    (mechanism): (typeof LOGINS)[number] => [
      { KAFKA_BROKERS: 'kafka.example:9092', KAFKA_SASL_MECHANISM: mechanism, ...KAFKA },
      'kafka.example:9092',
      { KAFKA_TLS: 'true' },
    ],
  ),
  [
    {
      ...{ KAFKA_BROKERS: 'kafka.example:9092', KAFKA_SASL_MECHANISM: 'oauthbearer' },
      ...{ KAFKA_OAUTH_TOKEN_URL: 'https://login.example/', KAFKA_OAUTH_CLIENT_ID: 'market' },
      KAFKA_OAUTH_CLIENT_SECRET: 's',
    },
    'kafka.example:9092',
    { KAFKA_TLS: 'true' },
  ],
  [
    { REDIS_URL: 'redis://redis.example', REDIS_PASSWORD: 'p' },
    'redis.example:6379',
    { REDIS_URL: 'rediss://redis.example' },
  ],
  [
    {
      ...{ REDIS_URL: 'redis://10.0.0.1:26379', REDIS_SENTINEL_NAME: 'main' },
      REDIS_SENTINEL_PASSWORD: 'p',
    },
    '10.0.0.1:26379',
    { REDIS_URL: 'rediss://10.0.0.1:26379' },
  ],
  [
    { CLICKHOUSE_URL: 'http://clickhouse.example:8123', CLICKHOUSE_PASSWORD: 'p' },
    'clickhouse.example:8123',
    { CLICKHOUSE_URL: 'https://clickhouse.example:8443' },
  ],
  [
    { ...NODE, BITCOIN_RPC_URL: 'http://node.example:8332', BITCOIN_RPC_PASSWORD: 'p' },
    'node.example:8332',
    { BITCOIN_RPC_URL: 'https://node.example:8332' },
  ],
  [
    { BITCOIN_RPC_URL: 'http://node.example', BITCOIN_RPC_COOKIE_FILE: '/c' },
    'node.example:80',
    { BITCOIN_RPC_URL: 'https://node.example' },
  ],
  [
    {
      ...{ ...NODE, BITCOIN_RPC_PASSWORD: 'p', ASSET_INDEX_URL: 'http://ord.example' },
      ...{ ASSET_INDEX_USER: 'market', ASSET_INDEX_PASSWORD: 'p' },
    },
    'ord.example:80',
    { ASSET_INDEX_URL: 'https://ord.example' },
  ],
]

test.each(LOGINS)(
  '%o is refused on mainnet alone, unless its server is named',
  (given, server, tls) => {
    const wanted = expect.stringMatching(
      new RegExp(`without TLS .*, name it: ALLOW_CLEAR=${server.replaceAll('.', '\\.')}$`),
    )
    expect(problemsOf({ ...MAINNET, ...given })).toEqual([wanted])
    expect(problemsOf({ ...MAINNET, ...given, ALLOW_CLEAR: 'other.example:1' })).toEqual([wanted])
    expect(problemsOf({ ...MAINNET, ...given, ALLOW_CLEAR: `a.example:1, ${server}` })).toEqual([])
    expect(problemsOf({ ...MAINNET, ...given, ...tls })).toEqual([])
    expect(problemsOf({ ...given, BITCOIN_NETWORK: 'signet' })).toEqual([])
  },
)

test.each(['127.0.0.1:6379', 'localhost:6379', '[::1]:6379'])('%s is this machine', (here) => {
  expect(problemsOf({ ...MAINNET, REDIS_URL: `redis://${here}`, REDIS_PASSWORD: 'p' })).toEqual([])
})

test('each of several servers is named, and a host that only begins like this machine is another', () => {
  const redis = { REDIS_URL: 'redis://a.example:1,redis://127.0.0.1:2,redis://127.0.0.1.example:3' }
  const [problem] = problemsOf({ ...MAINNET, ...redis, REDIS_PASSWORD: 'p' })
  expect(problem).toMatch(/ALLOW_CLEAR=a\.example:1,127\.0\.0\.1\.example:3$/)
})

test('without a login nothing has to be named', () => {
  expect(
    problemsOf({
      ...{ ...MAINNET, REDIS_URL: 'redis://redis.example', KAFKA_BROKERS: 'kafka.example:9092' },
      CLICKHOUSE_URL: 'http://clickhouse.example',
    }),
  ).toEqual([])
  expect(problemsOf({ ...MAINNET, ALLOW_CLEAR: 'http://node.example' })).toEqual([
    'ALLOW_CLEAR.0 must be host:port, comma separated',
  ])
})
