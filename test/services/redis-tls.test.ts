import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporaryDirectory } from '../support/embedded.ts'
import { type CertificateFiles, Certificates } from '../support/logins/certificates.ts'
import { freePort } from '../support/services/programs.ts'
import { openKeyspace, RedisServer } from '../support/services/redis.ts'

// A real Redis over TLS, with a user of its own and an authority that Node does not know.

const LOGIN = { user: 'market', password: 'of-the-market' }
const folder = temporaryDirectory()
let authority: CertificateFiles
let redis: RedisServer
let url: string

beforeAll(async () => {
  const certificates = new Certificates(folder.path)
  authority = certificates.authority('authority')
  const { cert, key } = certificates.signed(authority, 'redis', { san: 'IP:127.0.0.1' })
  const port = await freePort()
  url = `rediss://127.0.0.1:${port}`
  redis = await RedisServer.start({
    'tls-port': String(port),
    'tls-cert-file': cert,
    'tls-key-file': key,
    'tls-ca-cert-file': authority.cert,
    'tls-auth-clients': 'no',
  })
  await redis.admin.call(
    'ACL',
    'SETUSER',
    LOGIN.user,
    'on',
    `>${LOGIN.password}`,
    '~*',
    '&*',
    '+@all',
  )
})
afterAll(async () => {
  await redis?.stop()
  folder.drop()
})

test('is used with the authority of the configuration', async () => {
  const keyspace = await openKeyspace(url, { ...LOGIN, ca: authority.cert })
  expect(await keyspace.connection.trouble()).toBeNull()
  expect(await keyspace.run((client) => client.call('ACL', 'WHOAMI'))).toBe(LOGIN.user)
  keyspace.close()
})

test('is not used without it', async () => {
  const keyspace = await openKeyspace(url, LOGIN)
  expect((await keyspace.connection.trouble())?.message).toContain('self-signed certificate')
  keyspace.close()
})

test('a file that cannot be read refuses the start', async () => {
  const opening = openKeyspace(url, { ...LOGIN, ca: `${authority.cert}-gone` })
  await expect(opening).rejects.toMatchObject({
    name: 'RedisRefusedError',
    message: `REDIS_TLS_CA_FILE=${authority.cert}-gone cannot be read (ENOENT)`,
  })
})
