import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../services/programs.ts'
import type { CertificateFiles } from './certificates.ts'

/** What a broker has for clients over TLS. */
export interface OverTls {
  /** The authority of the certificates of clients. */
  authority: CertificateFiles
  /** The broker's own. */
  certificate: CertificateFiles
  /** Passwords by the name of the user, for both kinds of SCRAM. */
  scram: Record<string, string>
  /** How tokens are verified: at which URL their keys are, who issues them, and for whom. */
  tokens: { keysUrl: string; issuer: string; audience: string }
}

/** The listeners over TLS of one broker. */
export interface TlsListeners {
  /** Where a client shows a certificate. */
  byCertificate: string
  /** Where a client logs in by SCRAM or OAUTHBEARER. */
  byLogin: string
}

export async function tlsListeners(): Promise<TlsListeners> {
  const address = async () => `127.0.0.1:${await freePort()}`
  return { byCertificate: await address(), byLogin: await address() }
}

/** Settings of the broker; its files are written to `folder`. */
export function tlsSettings(
  { authority, certificate, tokens }: OverTls,
  folder: string,
): Record<string, string> {
  const keys = join(folder, 'broker-with-key.pem')
  writeFileSync(
    keys,
    readFileSync(certificate.key, 'utf8') + readFileSync(certificate.cert, 'utf8'),
  )
  const login = 'listener.name.sasl_ssl'
  return {
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.location': keys,
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.location': authority.cert,
    'listener.name.ssl.ssl.client.auth': 'required',
    'sasl.enabled.mechanisms': [...SCRAM, 'OAUTHBEARER'].join(','),
    ...Object.fromEntries(
      SCRAM.map((kind) => [
        `${login}.${kind.toLowerCase()}.sasl.jaas.config`,
        'org.apache.kafka.common.security.scram.ScramLoginModule required;',
      ]),
    ),
    [`${login}.oauthbearer.sasl.jaas.config`]: `${OAUTH}.OAuthBearerLoginModule required;`,
    [`${login}.oauthbearer.sasl.server.callback.handler.class`]: `${OAUTH}.OAuthBearerValidatorCallbackHandler`,
    'sasl.oauthbearer.jwks.endpoint.url': tokens.keysUrl,
    'sasl.oauthbearer.expected.issuer': tokens.issuer,
    'sasl.oauthbearer.expected.audience': tokens.audience,
    // A session lasts as long as its token.
    'connections.max.reauth.ms': '3600000',
  }
}

/** Options of the tool that makes the broker's storage: its users. */
export const scramOptions = (scram: Record<string, string>): string[] =>
  Object.entries(scram).flatMap(([name, password]) =>
    SCRAM.flatMap((kind) => ['--add-scram', `${kind}=[name=${name},password=${password}]`]),
  )

const SCRAM = ['SCRAM-SHA-256', 'SCRAM-SHA-512'] as const

/** The option of the broker's Java without which it asks for no keys. */
export const allowedUrls = ({ tokens }: OverTls): string =>
  `-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=${tokens.keysUrl}`

const OAUTH = 'org.apache.kafka.common.security.oauthbearer'
