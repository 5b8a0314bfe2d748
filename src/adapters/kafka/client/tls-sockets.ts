import { readFileSync } from 'node:fs'
import net from 'node:net'
import tls from 'node:tls'
import type { ISocketFactory } from 'kafkajs'
import { KafkaRefusedError } from './errors.ts'

/** Files in PEM: authorities beside which Node's are not trusted, and this client's certificate. */
export interface TlsFiles {
  ca?: string
  own?: { cert: string; key: string }
}

/** As kafkajs does it. */
const KEEP_ALIVE_MS = 60_000

/**
 * Sockets to brokers over TLS. The files are read for each connection, so that a renewed certificate
 * needs no restart; while they cannot be used, those that could last serve.
 *
 * @throws KafkaRefusedError if they cannot be used now
 */
export function tlsSockets(files: TlsFiles): ISocketFactory {
  let context = contextOf(files)
  return ({ host, port, onConnect }) => {
    try {
      context = contextOf(files)
    } catch {
      // A renewal is in the middle of its files.
    }
    const name = net.isIP(host) ? {} : { servername: host }
    const socket = tls.connect({ host, port, ...name, secureContext: context }, onConnect)
    return socket.setKeepAlive(true, KEEP_ALIVE_MS)
  }
}

function contextOf({ ca, own }: TlsFiles): tls.SecureContext {
  const cert = own && read('KAFKA_TLS_CERT_FILE', own.cert)
  const key = own && read('KAFKA_TLS_KEY_FILE', own.key)
  const authorities = ca === undefined ? undefined : read('KAFKA_TLS_CA_FILE', ca)
  if (authorities && !authorities.includes('-----BEGIN CERTIFICATE-----')) {
    throw new KafkaRefusedError(`KAFKA_TLS_CA_FILE=${ca} has no certificate in PEM`)
  }
  try {
    return tls.createSecureContext({
      ...(authorities ? { ca: authorities } : {}),
      ...(cert && key ? { cert, key } : {}),
    })
  } catch (error) {
    const names = 'KAFKA_TLS_CERT_FILE and KAFKA_TLS_KEY_FILE'
    // Without its cause: it may have a part of the key.
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown'
    throw new KafkaRefusedError(`${names} are no certificate with its key in PEM (${code})`)
  }
}

function read(variable: string, path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown'
    throw new KafkaRefusedError(`${variable}=${path} cannot be read (${code})`)
  }
}
