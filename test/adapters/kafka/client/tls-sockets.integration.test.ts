import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer as createPlainServer, type Server } from 'node:net'
import { join } from 'node:path'
import { createServer, type TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loginRefusalOf } from '../../../../src/adapters/kafka/client/errors.ts'
import { type TlsFiles, tlsSockets } from '../../../../src/adapters/kafka/client/tls-sockets.ts'
import { temporaryDirectory } from '../../../support/embedded.ts'
import { type CertificateFiles, Certificates } from '../../../support/logins/certificates.ts'

const folder = temporaryDirectory()
const at = (name: string): string => join(folder.path, name)
let authority: CertificateFiles
let other: CertificateFiles
let made: Record<'broker' | 'elsewhere' | 'expired' | 'first' | 'second', CertificateFiles>

beforeAll(() => {
  const certificates = new Certificates(folder.path)
  authority = certificates.authority('authority')
  other = certificates.authority('other')
  made = {
    broker: certificates.signed(authority, 'broker', { san: 'IP:127.0.0.1' }),
    elsewhere: certificates.signed(authority, 'elsewhere'),
    expired: certificates.signed(authority, 'expired', { san: 'IP:127.0.0.1', days: -1 }),
    first: certificates.signed(authority, 'first'),
    second: certificates.signed(authority, 'second'),
  }
})
afterAll(() => folder.drop())

interface Listener {
  port: number
  close(): Promise<void>
}

async function listen(server: Server): Promise<Listener> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { port, close: () => new Promise((resolve) => void server.close(() => resolve())) }
}

/** A broker of that certificate, which tells a client the name in its own. */
const brokerOf = ({ cert, key }: CertificateFiles): Promise<Listener> =>
  listen(
    createServer(
      {
        cert: readFileSync(cert),
        key: readFileSync(key),
        ca: readFileSync(authority.cert),
        requestCert: true,
        rejectUnauthorized: false,
      },
      (socket: TLSSocket) => {
        const { subject } = socket.getPeerCertificate()
        socket.on('error', () => {}).end(`${subject?.CN ?? 'nobody'}\n`)
      },
    ).on('tlsClientError', () => {}),
  )

/** What the other side says, over a socket of kafkajs's. */
const connect = (sockets: ReturnType<typeof tlsSockets>, port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = sockets({ host: '127.0.0.1', port, ssl: true, onConnect: () => {} } as never)
    let said = ''
    socket.on('data', (chunk: Buffer) => {
      said += chunk
    })
    socket.once('error', reject).once('close', () => resolve(said.trim()))
  })

const knowing = (own?: CertificateFiles): TlsFiles => ({
  ca: authority.cert,
  ...(own ? { own } : {}),
})

test('without a certificate of its own a client has none', async () => {
  const broker = await brokerOf(made.broker)
  expect(await connect(tlsSockets(knowing()), broker.port)).toBe('nobody')
  await broker.close()
})

test('a renewed certificate is shown at the next connection, a half-written one is not', async () => {
  const broker = await brokerOf(made.broker)
  const own = { cert: at('own.pem'), key: at('own.key') }
  const put = ({ cert, key }: CertificateFiles) => {
    copyFileSync(cert, own.cert)
    copyFileSync(key, own.key)
  }
  put(made.first)
  const sockets = tlsSockets(knowing(own))
  expect(await connect(sockets, broker.port)).toBe('first')
  copyFileSync(made.second.cert, own.cert)
  expect(await connect(sockets, broker.port)).toBe('first')
  put(made.second)
  expect(await connect(sockets, broker.port)).toBe('second')
  await broker.close()
})

describe('a broker that is not trusted is refused, with the cure', () => {
  test.each<[string, () => CertificateFiles, () => TlsFiles, RegExp]>([
    ['authority', () => made.broker, () => ({ ca: other.cert }), /: .*set KAFKA_TLS_CA_FILE/],
    ['authority, of none', () => made.broker, () => ({}), /: .*set KAFKA_TLS_CA_FILE/],
    ['name', () => made.elsewhere, () => knowing(), /has another name than KAFKA_BROKERS/],
    ['days', () => made.expired, () => knowing(), /has expired: renew it/],
  ])('by its %s', async (_, certificate, files, cure) => {
    const broker = await brokerOf(certificate())
    const error = await connect(tlsSockets(files()), broker.port).catch((cause: Error) => cause)
    expect(loginRefusalOf(error)?.message).toMatch(cure)
    await broker.close()
  })

  test('for it speaks no TLS', async () => {
    const server = createPlainServer((socket) => {
      socket
        .on('error', () => {})
        .resume()
        .end('HTTP/1.1 400 Bad Request\r\n\r\n')
    })
    const broker = await listen(server)
    const error = await connect(tlsSockets(knowing()), broker.port).catch((cause: Error) => cause)
    expect(loginRefusalOf(error)?.message).toContain('does not speak TLS on this port')
    await broker.close()
  })
})

describe('files that cannot be used are refused at the start', () => {
  test.each<[string, () => TlsFiles, string]>([
    [
      'no such file',
      () => ({ ca: at('none') }),
      `KAFKA_TLS_CA_FILE=${at('none')} cannot be read (ENOENT)`,
    ],
    [
      'no certificate',
      () => {
        writeFileSync(at('empty.pem'), 'nothing\n')
        return { ca: at('empty.pem') }
      },
      `KAFKA_TLS_CA_FILE=${at('empty.pem')} has no certificate in PEM`,
    ],
    [
      'the key of another',
      () => knowing({ cert: made.first.cert, key: made.second.key }),
      'KAFKA_TLS_CERT_FILE and KAFKA_TLS_KEY_FILE are no certificate with its key in PEM (ERR_OSSL_X509_KEY_VALUES_MISMATCH)',
    ],
  ])('%s', (_, files, message) => {
    expect(() => tlsSockets(files())).toThrow(message)
  })
})
