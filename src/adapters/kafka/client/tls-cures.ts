const UNKNOWN_AUTHORITY =
  'no known authority has signed the certificate of a Kafka broker: set KAFKA_TLS_CA_FILE'
const NO_CERTIFICATE =
  'Kafka wants a certificate of this client: set KAFKA_TLS_CERT_FILE and KAFKA_TLS_KEY_FILE'
const REFUSED_CERTIFICATE =
  'Kafka does not take the certificate of this client, by its authority or its days: renew KAFKA_TLS_CERT_FILE'

/** What an operator does about a handshake that this client ended, by the code of Node's error. */
const OURS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  CERT_HAS_EXPIRED: 'the certificate of a Kafka broker has expired: renew it',
  CERT_NOT_YET_VALID: 'the certificate of a Kafka broker is not valid yet: set the clocks',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'the certificate of a Kafka broker has another name than KAFKA_BROKERS or advertised.listeners: use one of its names',
  ERR_SSL_WRONG_VERSION_NUMBER:
    'Kafka does not speak TLS on this port: set KAFKA_BROKERS or KAFKA_TLS',
}

/** The same about one that the broker ended, by its alert (RFC 8446, 6.2), as recorded of Kafka. */
const ALERTS: Readonly<Record<string, string>> = {
  CERTIFICATE_REQUIRED: NO_CERTIFICATE,
  BAD_CERTIFICATE: NO_CERTIFICATE,
  HANDSHAKE_FAILURE: NO_CERTIFICATE,
  CERTIFICATE_EXPIRED: REFUSED_CERTIFICATE,
  CERTIFICATE_UNKNOWN: REFUSED_CERTIFICATE,
  UNKNOWN_CA: REFUSED_CERTIFICATE,
}

/** The cure of the first of these codes that has one; null if none does. */
export const tlsCureOf = (codes: readonly unknown[]): string | null =>
  codes
    .map(String)
    .flatMap((code) => OURS[code] ?? ALERTS[alertOf(code)] ?? [])
    .at(0) ?? null

/** OpenSSL 3.0 spells `ERR_SSL_SSLV3_ALERT_…` what 3.5 spells `ERR_SSL_SSL/TLS_ALERT_…`. */
const alertOf = (code: string): string => /^ERR_SSL_.+?_ALERT_(.+)$/.exec(code)?.[1] ?? ''
