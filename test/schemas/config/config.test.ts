import { describe, expect, test } from 'vitest'
import { printConfig, readConfig, readStartConfig } from '../../../src/cli/terminal/environment.ts'
import {
  Config,
  pairingDeployment,
  publicOrigin,
  trustedKeysOf,
} from '../../../src/schemas/config/config.ts'
import { startHeightOf } from '../../../src/schemas/config/start-heights.ts'

const HASH = 'a'.repeat(64)

describe('an address without its scheme', () => {
  const required: Record<string, Record<string, string>> = {
    BITCOIN_RPC_URL: { BITCOIN_RPC_COOKIE_FILE: '/a/.cookie' },
    ASSET_INDEX_URL: { ASSET_INDEX_USER: 'u', ASSET_INDEX_PASSWORD: 'p' },
    CLICKHOUSE_URL: { CLICKHOUSE_USER: 'u', CLICKHOUSE_PASSWORD: 'p' },
    REDIS_URL: { REDIS_PASSWORD: 'p', REDIS_SENTINEL_NAME: 'main' },
  }

  test.each(
    Object.keys(Config.shape).filter((name) => /_URL$|^PUBLIC_ORIGIN$|_RELAYS$/.test(name)),
  )('is a fault of %s, by name', (name) => {
    for (const BITCOIN_NETWORK of ['regtest', 'mainnet'])
      for (const value of ['server:6379', 'server/path', ' ', 'server', 'server,http://other']) {
        const set = { ...required[name], BITCOIN_NETWORK, [name]: value }
        const { error } = Config.safeParse(set)
        expect(error?.issues.map(({ path }) => path[0])).toContain(name)
      }
  })
})

describe('OPERATOR_TOKENS', () => {
  test('names operators, each with the hash of a token', () => {
    const { OPERATOR_TOKENS } = Config.parse({
      OPERATOR_TOKENS: `alice:${HASH}, bob.b-2:${'b'.repeat(64)}`,
    })
    expect(OPERATOR_TOKENS).toEqual([
      { name: 'alice', tokenSha256: HASH },
      { name: 'bob.b-2', tokenSha256: 'b'.repeat(64) },
    ])
  })

  test('may end with a day', () => {
    const { OPERATOR_TOKENS } = Config.parse({ OPERATOR_TOKENS: `alice:${HASH}:2027-01-31` })
    expect(OPERATOR_TOKENS).toEqual([{ name: 'alice', tokenSha256: HASH, lastDay: '2027-01-31' }])
  })

  test.each([
    ['empty', ''],
    ['a token in plain', 'alice:secret'],
    ['no name', HASH],
    ['an empty name', `:${HASH}`],
    ['a hash in capitals', `alice:${HASH.toUpperCase()}`],
    ['one operator twice', `alice:${HASH},alice:${'b'.repeat(64)}`],
    ['a comma at the end', `alice:${HASH},`],
    ['an hour as its last day', `alice:${HASH}:2027-01-31T00:00:00Z`],
    ['a day that never was', `alice:${HASH}:2027-02-29`],
    ['an empty last day', `alice:${HASH}:`],
  ])('stops the start when it is %s', (_name, OPERATOR_TOKENS) => {
    expect(() => readConfig({ OPERATOR_TOKENS })).toThrow(/OPERATOR_TOKENS\S* must/)
  })

  test('is not printed', () => {
    const printed = printConfig(readConfig({ OPERATOR_TOKENS: `alice:${HASH}` }))
    expect(printed).toContain('OPERATOR_TOKENS=(set, not shown)')
    expect(printed).not.toContain(HASH)
  })
})

test('a value may end with the line break of the file that it came from', () => {
  const { CURSOR_KEY, BITCOIN_RPC_USER } = readConfig({
    CURSOR_KEY: `${'k'.repeat(32)}\n`,
    BITCOIN_RPC_USER: ' u \r\n',
  })
  expect([CURSOR_KEY, BITCOIN_RPC_USER]).toEqual([['k'.repeat(32)], ' u '])
})

test('one key is not trusted as two pipelines', () => {
  const key = 'c'.repeat(64)
  const trust = (ofB: string) =>
    readConfig({ PAIRING_TRUSTED_A: `a-1:${key},a-2:${'d'.repeat(64)}`, PAIRING_TRUSTED_B: ofB })
  expect(() => trust(`b-1:${'e'.repeat(64)},b-2:${key}`)).toThrow(
    'PAIRING_TRUSTED_B trusts b-2 as pipeline B, but PAIRING_TRUSTED_A trusts the same key as A',
  )
  expect(trust(`b-1:${'e'.repeat(64)}`).PAIRING_TRUSTED_B).toHaveLength(1)
})

test('an origin that sellers sign is https on mainnet', () => {
  const origin = (BITCOIN_NETWORK: string, PUBLIC_ORIGIN: string) =>
    readConfig({ BITCOIN_NETWORK, PUBLIC_ORIGIN }).PUBLIC_ORIGIN
  expect(() => origin('mainnet', 'http://market.example')).toThrow('PUBLIC_ORIGIN must be https')
  expect(origin('mainnet', 'https://market.example')).toBe('https://market.example')
  expect(origin('signet', 'http://market.example')).toBe('http://market.example')
})

test('a service with the API has an origin of its own, except on regtest', () => {
  const start = (variables: Record<string, string>) => () => readStartConfig(variables)
  const signet = { BITCOIN_NETWORK: 'signet' }
  const kafka = { KAFKA_BROKERS: 'kafka:9092' }
  expect(start(signet)).toThrow(
    'PUBLIC_ORIGIN is required on signet: the public URL of this service',
  )
  const gateway = { ...signet, ...kafka, ROLE: 'gateway', REDIS_URL: 'redis://redis:6379' }
  expect(start(gateway)).toThrow('PUBLIC_ORIGIN is required on signet')
  expect(start({ ...signet, PUBLIC_ORIGIN: 'http://market.example' })).not.toThrow()
  expect(start({ ...signet, ...kafka, ROLE: 'ingest' })).not.toThrow()
  expect(start({})).not.toThrow()
  expect(readConfig(signet).PUBLIC_ORIGIN).toBeUndefined()
})

describe('the heights that folds of blocks start at', () => {
  const MAINNET = { BITCOIN_NETWORK: 'mainnet', PUBLIC_ORIGIN: 'https://market.example' }
  const PAIRING = 'PAIRING_START_HEIGHT is required on mainnet: set it to the first block to index'
  const CIRCLES = 'CIRCLES_START_HEIGHT is required on mainnet: set it to the first block to index'

  test.each<[string, Record<string, string>, string[]]>([
    ['all of it', {}, [PAIRING, CIRCLES]],
    ['all of it from one height', { PAIRING_START_HEIGHT: '925000' }, [CIRCLES]],
    ['no pairing', { PAIRING_ENABLED: 'false' }, [CIRCLES]],
    ['no circles', { CIRCLES_ENABLED: 'false' }, [PAIRING]],
    ['pairing alone', { ROLE: 'pairing' }, [PAIRING]],
    ['circles alone', { ROLE: 'circles', CIRCLES_ENABLED: 'false' }, [CIRCLES]],
  ])('are required on mainnet: %s', (_what, variables, missing) => {
    const start = () => readStartConfig({ ...MAINNET, ...variables })
    for (const problem of missing) expect(start).toThrow(problem)
    const others = [PAIRING, CIRCLES].filter((problem) => !missing.includes(problem))
    for (const problem of others) expect(start).not.toThrow(problem)
    expect(() => readConfig({ ...MAINNET, ...variables })).not.toThrow()
  })

  test('are reported with the command that estimates the cost, and how to do without', () => {
    const start = (variables: Record<string, string>) => () =>
      readStartConfig({ ...MAINNET, ...variables })
    expect(start({})).toThrow(
      'to index, or CIRCLES_ENABLED=false (market circles plan --from HEIGHT estimates the cost)',
    )
    expect(start({ ROLE: 'pairing' })).toThrow(
      'to index (market pairing plan --from HEIGHT estimates the cost)',
    )
  })

  test('may be the first block, if set explicitly; without a fold there is none', () => {
    const { PAIRING_START_HEIGHT } = readStartConfig({
      ...MAINNET,
      PAIRING_START_HEIGHT: '0',
      CIRCLES_START_HEIGHT: '0',
    })
    expect(PAIRING_START_HEIGHT).toBe(0)
    readStartConfig({ ...MAINNET, PAIRING_ENABLED: 'false', CIRCLES_ENABLED: 'false' })
    readStartConfig({ ...MAINNET, ROLE: 'ingest', KAFKA_BROKERS: 'kafka:9092' })
  })

  test.each(['regtest', 'signet'])('are 0 on %s', (BITCOIN_NETWORK) => {
    const config = readStartConfig({ BITCOIN_NETWORK, PUBLIC_ORIGIN: 'https://market.example' })
    expect(startHeightOf(config, 'pairing')).toBe(0)
    expect(printConfig(config)).toContain('\nCIRCLES_START_HEIGHT=0\n')
  })
})

test('the queries of feeds’ addresses are not printed', () => {
  const printed = printConfig(
    readConfig({
      NOSTR_RELAYS: 'wss://one.example/?key=secret,wss://two.example/a?b=secret',
      NOSTR_TRUSTED_RELAYS: 'wss://own.example/?key=secret',
      OFFERS_URL: 'https://ord.example/offers?key=secret',
    }),
  )
  expect(printed).not.toContain('secret')
  expect(printed).toContain(
    'NOSTR_RELAYS=wss://one.example/?(not shown),wss://two.example/a?(not shown)',
  )
})

describe('ALLOWED_ORIGINS', () => {
  test.each([
    ['*', ['*']],
    [
      'https://app.example, http://localhost:5173',
      ['https://app.example', 'http://localhost:5173'],
    ],
  ])('%s are the origins of pages', (ALLOWED_ORIGINS, origins) => {
    expect(readConfig({ ALLOWED_ORIGINS }).ALLOWED_ORIGINS).toEqual(origins)
  })

  test.each([
    'app.example',
    'https://app.example/',
    'https://app.example/x',
    'null',
    'file://x',
    '',
  ])('stops the start when it is "%s"', (ALLOWED_ORIGINS) => {
    expect(() => readConfig({ ALLOWED_ORIGINS })).toThrow(/ALLOWED_ORIGINS must be/)
  })
})

describe('TRUST_PROXY', () => {
  test.each<[string, number | string[]]>([
    ['1', 1],
    ['9', 9],
    ['10.0.0.7, 192.168.0.0/16,::1,fd00::/8', ['10.0.0.7', '192.168.0.0/16', '::1', 'fd00::/8']],
  ])('%s names proxies, or how many there are in a row', (TRUST_PROXY, trusted) => {
    expect(readConfig({ TRUST_PROXY }).TRUST_PROXY).toEqual(trusted)
  })

  test.each([
    '',
    '0',
    '10',
    '-1',
    '1,2',
    'true',
    '0.0.0.0/0',
    '::/0',
    '10.0.0.0/33',
    'fd00::/129',
    '10.0.0',
    'proxy',
    '10.0.0.1/',
    '10.0.0.1,',
  ])('stops the start when it is "%s"', (TRUST_PROXY) => {
    expect(() => readConfig({ TRUST_PROXY })).toThrow(/TRUST_PROXY must be IP addresses/)
  })
})

test.each([
  [{}, 'http://127.0.0.1:8080'],
  [{ HOST: '::1', PORT: '9000' }, 'http://[::1]:9000'],
  [{ PUBLIC_ORIGIN: 'https://market.example/' }, 'https://market.example'],
  [{ PUBLIC_ORIGIN: 'https://market.example:8443/path?query' }, 'https://market.example:8443'],
])('the public origin of %j is %s', (variables, origin) => {
  expect(publicOrigin(Config.parse(variables))).toBe(origin)
})

test.each([
  [{ ASSET_INDEX_USER: 'u' }, 'ASSET_INDEX_USER requires ASSET_INDEX_PASSWORD'],
  [{ ASSET_INDEX_PASSWORD: 'p' }, 'ASSET_INDEX_PASSWORD requires ASSET_INDEX_USER'],
  [
    { ASSET_INDEX_USER: 'u', ASSET_INDEX_PASSWORD: 'p' },
    'ASSET_INDEX_USER requires ASSET_INDEX_URL',
  ],
])('a login to the index: %j stops the start', (variables, problem) => {
  const { error } = Config.safeParse(variables)
  expect(error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`)).toContain(
    problem,
  )
})

describe('Redis', () => {
  const CURSOR_KEY = 'k'.repeat(32)
  const REDIS_URL = 'redis://redis.example:6379/2'

  test('is named by its address, its user and a prefix', () => {
    expect(Config.parse({ REDIS_URL, CURSOR_KEY })).toMatchObject({
      REDIS_URL,
      REDIS_PREFIX: 'market',
    })
    const all = { REDIS_URL: 'rediss://[::1]', REDIS_USER: 'u', REDIS_PASSWORD: 'p' }
    expect(Config.parse({ ...all, CURSOR_KEY, REDIS_PREFIX: 'a.b_c-1' })).toMatchObject(all)
    const cluster = 'redis://a.example, redis://b.example:6380'
    expect(Config.parse({ REDIS_URL: cluster, CURSOR_KEY }).REDIS_URL).toBe(
      'redis://a.example,redis://b.example:6380',
    )
  })

  test.each([
    [{ REDIS_SENTINEL_NAME: 'a' }, 'REDIS_SENTINEL_NAME requires REDIS_URL'],
    [
      { REDIS_URL, CURSOR_KEY, REDIS_SENTINEL_NAME: 'a' },
      'REDIS_URL must name no database: sentinels have none',
    ],
    [{ REDIS_SENTINEL_PASSWORD: 'p' }, 'REDIS_SENTINEL_PASSWORD requires REDIS_SENTINEL_NAME'],
    [
      { REDIS_URL, CURSOR_KEY, REDIS_TLS_CA_FILE: '/ca.crt' },
      'REDIS_TLS_CA_FILE requires REDIS_URL=rediss://…',
    ],
    [{ REDIS_URL }, 'CURSOR_KEY is required with REDIS_URL: gateways share their cursors'],
    [{ REDIS_URL: 'http://a.example', CURSOR_KEY }, 'REDIS_URL must be a redis(s) URL'],
    [
      { REDIS_URL: 'redis://u:p@a.example', CURSOR_KEY },
      'REDIS_URL must not contain a user or password: use REDIS_USER and REDIS_PASSWORD',
    ],
    [
      { REDIS_PREFIX: '{market}' },
      'REDIS_PREFIX must be 1 to 64 letters, digits, dots, dashes or underscores',
    ],
    [
      { REDIS_PREFIX: '' },
      'REDIS_PREFIX must be 1 to 64 letters, digits, dots, dashes or underscores',
    ],
    [
      { REDIS_URL: 'redis://a.example,http://b.example', CURSOR_KEY },
      'REDIS_URL must be a redis(s) URL',
    ],
    [
      { REDIS_URL: 'redis://a.example,rediss://b.example', CURSOR_KEY },
      'REDIS_URL must be all redis:// or all rediss://',
    ],
    [
      { REDIS_URL: 'redis://a.example/1,redis://b.example/1', CURSOR_KEY },
      'REDIS_URL must name no database: a Redis Cluster has only the first',
    ],
    [{ REDIS_PASSWORD: 'p' }, 'REDIS_PASSWORD requires REDIS_URL'],
    [{ REDIS_URL, CURSOR_KEY, REDIS_USER: 'u' }, 'REDIS_USER requires REDIS_PASSWORD'],
  ])('%j stops the start', (variables, problem) => {
    expect(() => readConfig(variables)).toThrow(`invalid configuration:\n  ${problem}`)
  })

  test('reports all problems at once', () => {
    const variables = { REDIS_URL: 'redis://a.example', REDIS_USER: 'u', REDIS_PREFIX: ' ' }
    expect(() => readConfig(variables)).toThrow(
      [
        'invalid configuration:',
        '  REDIS_PREFIX must be 1 to 64 letters, digits, dots, dashes or underscores',
        '  CURSOR_KEY is required with REDIS_URL: gateways share their cursors',
        '  REDIS_USER requires REDIS_PASSWORD',
      ].join('\n'),
    )
  })

  test('has a password that is not printed', () => {
    const variables = { REDIS_URL, CURSOR_KEY, REDIS_USER: 'u', REDIS_PASSWORD: 'hidden-words' }
    const printed = printConfig(readConfig(variables))
    expect(printed).toContain('REDIS_PASSWORD=(set, not shown)')
    expect(printed).not.toContain('hidden-words')
  })
})

describe('ClickHouse', () => {
  test.each([
    [
      { CLICKHOUSE_URL: 'http://u:p@ch:8123' },
      'CLICKHOUSE_URL must not contain a user or password',
    ],
    [
      { CLICKHOUSE_URL: 'https://ch:8443/?async_insert=1' },
      'CLICKHOUSE_URL must have no query: set settings on the ClickHouse user',
    ],
    [{ CLICKHOUSE_URL: 'tcp://ch:9000' }, 'CLICKHOUSE_URL must be an http(s) URL'],
    [
      { CLICKHOUSE_DATABASE: 'market; DROP' },
      'CLICKHOUSE_DATABASE must be 1 to 64 letters, digits or underscores',
    ],
    [{ CLICKHOUSE_PASSWORD: 'p' }, 'CLICKHOUSE_PASSWORD requires CLICKHOUSE_URL'],
  ])('%j stops the start', (variables, problem) => {
    expect(() => readConfig(variables)).toThrow(`\n  ${problem}`)
  })

  test('its password is not printed, its address is', () => {
    const printed = printConfig(
      readConfig({ CLICKHOUSE_URL: 'https://ch:8443', CLICKHOUSE_PASSWORD: 'of-the-history' }),
    )
    expect(printed).toContain('CLICKHOUSE_URL=https://ch:8443\n')
    expect(printed).toContain('CLICKHOUSE_USER=default\n')
    expect(printed).toContain('CLICKHOUSE_PASSWORD=(set, not shown)\n')
    expect(printed).toContain('CLICKHOUSE_DATABASE=market\n')
    expect(printed).not.toContain('of-the-history')
  })
})

describe('feeds', () => {
  test('relays are kept in one spelling, offers are read twice a minute', () => {
    const config = Config.parse({
      NOSTR_RELAYS: 'wss://Relay.Example, ws://127.0.0.1:7777/path?key=1',
      OFFERS_URL: 'http://127.0.0.1:8081',
    })
    expect(config.NOSTR_RELAYS).toEqual(['wss://relay.example/', 'ws://127.0.0.1:7777/path?key=1'])
    expect([config.OFFERS_URL, config.OFFERS_POLL_MS]).toEqual(['http://127.0.0.1:8081', 30_000])
  })

  test.each([
    [{ NOSTR_RELAYS: 'https://relay.example' }, 'NOSTR_RELAYS must be ws(s) URLs'],
    [{ NOSTR_RELAYS: '' }, 'NOSTR_RELAYS must be ws(s) URLs'],
    [{ NOSTR_RELAYS: 'wss://a.example,' }, 'NOSTR_RELAYS must be ws(s) URLs'],
    [
      { NOSTR_RELAYS: 'wss://user:pw@a.example' },
      'NOSTR_RELAYS must not contain a user or password',
    ],
    [{ NOSTR_RELAYS: 'wss://a.example/#x' }, 'NOSTR_RELAYS must not have a fragment'],
    [
      { NOSTR_RELAYS: 'wss://a.example,wss://A.example/' },
      'NOSTR_RELAYS must name each relay once',
    ],
    [
      { NOSTR_RELAYS: Array.from({ length: 33 }, (_, n) => `wss://${n}.example`).join() },
      'NOSTR_RELAYS must be at most 32 relays',
    ],
    [
      { NOSTR_RELAYS: `wss://a.example/${'x'.repeat(500)}` },
      'NOSTR_RELAYS must be at most 500 characters each',
    ],
    [
      { NOSTR_RELAYS: 'wss://a.example', NOSTR_TRUSTED_RELAYS: 'wss://A.example/' },
      'NOSTR_TRUSTED_RELAYS must name no relay of NOSTR_RELAYS',
    ],
    [
      {
        NOSTR_RELAYS: 'wss://a.example',
        NOSTR_TRUSTED_RELAYS: Array.from({ length: 32 }, (_, n) => `wss://${n}.example`).join(),
      },
      'NOSTR_TRUSTED_RELAYS must be at most 32 relays with NOSTR_RELAYS',
    ],
    [{ OFFERS_URL: 'ftp://a.example' }, 'OFFERS_URL must be an http(s) URL'],
    [{ OFFERS_URL: 'http://u:p@a.example' }, 'OFFERS_URL must not contain a user or password'],
    [{ OFFERS_POLL_MS: '99' }, 'OFFERS_POLL_MS must be between 100 and 86400000'],
  ])('%j stops the start', (variables, problem) => {
    expect(() => readConfig(variables)).toThrow(problem)
  })

  test.each([
    ['twice', 'wss://a.example,wss://a.example'],
    ['too many', Array.from({ length: 33 }, (_, n) => `wss://${n}.example`).join()],
  ])('a list that names %s is the only one at fault', (_, NOSTR_RELAYS) => {
    const { error } = Config.safeParse({ NOSTR_RELAYS })
    expect(error?.issues.map(({ path }) => path[0])).toEqual(['NOSTR_RELAYS'])
  })
})

describe('pairing', () => {
  const KEY = 'ab'.repeat(32)
  const SIGNING_KEY = { PAIRING_KEY_ID: 'a-1', PAIRING_PRIVATE_KEY: KEY }

  test('a deployment has the name of its network, markers begin with PAIR', () => {
    const config = Config.parse({})
    expect(pairingDeployment(config)).toBe('pairing-regtest')
    expect([config.PAIRING_MAGIC, config.PAIRING_PIPELINE]).toEqual(['PAIR', 'A'])
    expect(pairingDeployment(Config.parse({ PAIRING_DEPLOYMENT: 'x' }))).toBe('x')
  })

  test('several keys are trusted at once; the private key is never printed', () => {
    const config = Config.parse({ ...SIGNING_KEY, PAIRING_TRUSTED_B: `b-1:${KEY}, b-2:${KEY}` })
    expect([...trustedKeysOf(config.PAIRING_TRUSTED_B)]).toEqual([
      ['b-1', KEY],
      ['b-2', KEY],
    ])
    expect(trustedKeysOf(config.PAIRING_TRUSTED_A).size).toBe(0)
    const printed = printConfig(config)
    expect(printed).toContain(`PAIRING_TRUSTED_B=b-1:${KEY},b-2:${KEY}\n`)
    expect(printed).toContain('PAIRING_PRIVATE_KEY=(set, not shown)\n')
  })

  test.each(Object.keys(SIGNING_KEY))('%s is missing from the signing key', (variable) => {
    const rest = Object.entries(SIGNING_KEY).filter(([name]) => name !== variable)
    expect(() => readConfig(Object.fromEntries(rest))).toThrow(
      `${variable} is part of the signing key: set PAIRING_KEY_ID and PAIRING_PRIVATE_KEY, or none`,
    )
  })

  test.each([
    [{ PAIRING_MAGIC: 'PAIRS' }, 'PAIRING_MAGIC must be 4 printable ASCII characters'],
    [{ PAIRING_DEPLOYMENT: 'a b' }, 'PAIRING_DEPLOYMENT must be 1 to 64 letters'],
    [
      { ...SIGNING_KEY, PAIRING_PRIVATE_KEY: 'AB'.repeat(32) },
      'PAIRING_PRIVATE_KEY must be 32 bytes',
    ],
    [{ PAIRING_TRUSTED_A: `a:${KEY},a:${KEY}` }, 'PAIRING_TRUSTED_A must name each key id once'],
    [{ PAIRING_TRUSTED_A: KEY }, 'PAIRING_TRUSTED_A must be keyId:x-only public key'],
    [{ PAIRING_B_URL: 'http://b.example?x=1' }, 'PAIRING_B_URL must have no query'],
    [{ PAIRING_PIPELINE: 'C' }, 'PAIRING_PIPELINE must be one of A, B'],
  ])('%j stops the start', (variables, problem) => {
    expect(() => readConfig(variables)).toThrow(problem)
  })
})
