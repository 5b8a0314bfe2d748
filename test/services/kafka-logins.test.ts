import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/adapters/embedded/system-clock.ts'
import { KafkaLog } from '../../src/adapters/kafka/log.ts'
import { examineKafka } from '../../src/adapters/kafka/topics/examine.ts'
import { kafkaSettings } from '../../src/roles/open/open-log.ts'
import { Config } from '../../src/schemas/config/config.ts'
import { TOPICS } from '../../src/schemas/log.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { type CertificateFiles, Certificates } from '../support/logins/certificates.ts'
import { TokenEndpoint } from '../support/logins/token-endpoint.ts'
import { KafkaServer } from '../support/services/kafka.ts'

// A real broker over TLS: clients show a certificate, or log in by SCRAM or by a token. The log is
// opened as the configuration says.

const CLIENT = { id: 'market-client', secret: 'a-client-secret' }
const PASSWORD = 'a-password'
/** A token that is renewed by its connection once 10 s are left. */
const LIFETIME_SECONDS = 12
const SHORT_LIVED = 'short-lived'

const folder = temporaryDirectory()
let endpoint: TokenEndpoint
let kafka: KafkaServer
let authority: CertificateFiles
let client: CertificateFiles
let stranger: CertificateFiles
let expired: CertificateFiles
/** A log whose token's life passes during the other tests. */
let outlived: { log: KafkaLog; usedAt: number; given: number }

beforeAll(async () => {
  const certificates = new Certificates(folder.path)
  authority = certificates.authority('authority')
  const certificate = certificates.signed(authority, 'broker', { san: 'IP:127.0.0.1' })
  client = certificates.signed(authority, 'market')
  stranger = certificates.signed(certificates.authority('other-authority'), 'stranger')
  expired = certificates.signed(authority, 'expired', { days: -1 })
  endpoint = await TokenEndpoint.open(CLIENT)
  const { keysUrl, issuer, audience } = endpoint
  kafka = await KafkaServer.start(undefined, undefined, {
    authority,
    certificate,
    scram: { market: PASSWORD },
    tokens: { keysUrl, issuer, audience },
  })
  endpoint.lifetimeSeconds = LIFETIME_SECONDS
  const log = await openLog(byToken(CLIENT.secret, SHORT_LIVED))
  await append(log, 'before')
  outlived = { log, usedAt: performance.now(), given: endpoint.givenFor(SHORT_LIVED) }
  endpoint.lifetimeSeconds = 300
})
afterAll(async () => {
  await outlived?.log.close()
  await kafka?.stop()
  await endpoint?.close()
  folder.drop()
})

type Variables = Record<string, string>

const byCertificate = ({ cert, key }: CertificateFiles): Variables => ({
  KAFKA_BROKERS: kafka.tls.byCertificate,
  KAFKA_TLS: 'true',
  KAFKA_TLS_CA_FILE: authority.cert,
  KAFKA_TLS_CERT_FILE: cert,
  KAFKA_TLS_KEY_FILE: key,
})
const byPassword = (password = PASSWORD): Variables => ({
  KAFKA_BROKERS: kafka.tls.byLogin,
  KAFKA_TLS: 'true',
  KAFKA_TLS_CA_FILE: authority.cert,
  KAFKA_SASL_MECHANISM: 'scram-sha-512',
  KAFKA_SASL_USERNAME: 'market',
  KAFKA_SASL_PASSWORD: password,
})
const byToken = (secret = CLIENT.secret, scope = 'log'): Variables => ({
  KAFKA_BROKERS: kafka.tls.byLogin,
  KAFKA_TLS: 'true',
  KAFKA_TLS_CA_FILE: authority.cert,
  KAFKA_SASL_MECHANISM: 'oauthbearer',
  KAFKA_OAUTH_TOKEN_URL: endpoint.tokenUrl,
  KAFKA_OAUTH_CLIENT_ID: CLIENT.id,
  KAFKA_OAUTH_CLIENT_SECRET: secret,
  KAFKA_OAUTH_SCOPE: scope,
})

function settingsOf(variables: Variables) {
  const config = Config.parse({ BITCOIN_NETWORK: 'regtest', ORDER_PARTITIONS: '1', ...variables })
  const brokers = config.KAFKA_BROKERS ?? []
  return { ...kafkaSettings(config, systemClock), brokers, onLog: () => {} }
}

const openLog = (variables: Variables): Promise<KafkaLog> =>
  KafkaLog.open({
    ...settingsOf(variables),
    clock: systemClock,
    snapshots: () => Promise.reject(new Error('this process owns no partition')),
  })

const append = async (log: KafkaLog, key: string): Promise<number> => {
  const before = await log.end(TOPICS.index, 0)
  await log.append([{ topic: TOPICS.index, partition: 0, key, value: { key } }] as never)
  return (await log.end(TOPICS.index, 0)) - before
}

describe('each login opens the log, writes and reads', () => {
  test.each<[string, () => Variables]>([
    ['a certificate', () => byCertificate(client)],
    ['SCRAM-SHA-512', () => byPassword()],
    ['SCRAM-SHA-256', () => ({ ...byPassword(), KAFKA_SASL_MECHANISM: 'scram-sha-256' })],
    ['OAUTHBEARER', () => byToken()],
  ])('%s', async (_, variables) => {
    const log = await openLog(variables())
    expect(await append(log, 'one')).toBeGreaterThan(0)
    await log.close()
  })
})

describe('what the broker refuses is said with its cure', () => {
  test.each<[string, () => Variables, RegExp]>([
    [
      'no certificate',
      () => ({
        KAFKA_BROKERS: kafka.tls.byCertificate,
        KAFKA_TLS: 'true',
        KAFKA_TLS_CA_FILE: authority.cert,
      }),
      /set KAFKA_TLS_CERT_FILE/,
    ],
    ['of another authority', () => byCertificate(stranger), /renew KAFKA_TLS_CERT_FILE/],
    ['expired', () => byCertificate(expired), /renew KAFKA_TLS_CERT_FILE/],
    ['a wrong password', () => byPassword('wrong'), /KAFKA_SASL_PASSWORD/],
    ['a wrong client secret', () => byToken('wrong'), /KAFKA_OAUTH_CLIENT_SECRET/],
  ])('%s', async (_, variables, cure) => {
    const refused = await examineKafka(settingsOf(variables())).catch((error: Error) => error)
    expect(refused).toMatchObject({ name: 'KafkaRefusedError' })
    expect(String(refused)).toMatch(cure)
    expect(String(refused)).not.toContain(CLIENT.secret)
  })
})

test('a connection outlives its token', async () => {
  const { log, usedAt, given } = outlived
  await delay(Math.max(0, usedAt + (LIFETIME_SECONDS + 2) * 1_000 - performance.now()))
  expect(await append(log, 'after')).toBeGreaterThan(0)
  expect(endpoint.givenFor(SHORT_LIVED)).toBeGreaterThan(given)
})
