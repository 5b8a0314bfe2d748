import { z } from 'zod'
import { flag, httpUrl, isLoopback, list, text, urlsIn } from './variable-kinds.ts'

/** The brokers of the log, and the login to them. */
export const KAFKA_VARIABLES = {
  KAFKA_BROKERS: list
    .pipe(z.array(z.string().regex(/^[^\s:/@]+:[0-9]{1,5}$/, 'must be host:port, comma separated')))
    .optional()
    .describe(
      'Kafka brokers of the event log, host:port, comma separated; without it the log is embedded',
    ),
  KAFKA_CLIENT_ID: text
    .default('market')
    .describe('client id of this service in the logs of the brokers'),
  KAFKA_PREFIX: z
    .string()
    .regex(
      /^[A-Za-z0-9._-]{0,64}$/,
      'must be at most 64 letters, digits, dots, dashes or underscores',
    )
    .default('')
    .describe('prefix of the names of all topics, consumer groups and transactional ids'),
  KAFKA_TLS: flag.default(false).describe('true: connect to brokers over TLS'),
  KAFKA_TLS_CA_FILE: text
    .optional()
    .describe(
      'file (PEM) of the authorities that sign the certificates of the brokers, with KAFKA_TLS; without it those that Node trusts',
    ),
  KAFKA_TLS_CERT_FILE: text
    .optional()
    .describe('file (PEM) of the certificate of this client, read for each connection'),
  KAFKA_TLS_KEY_FILE: text.optional().describe('file (PEM) of the key of that certificate'),
  KAFKA_SASL_MECHANISM: z
    .enum(['plain', 'scram-sha-256', 'scram-sha-512', 'oauthbearer'])
    .optional()
    .describe(
      'with KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD; oauthbearer with KAFKA_OAUTH_TOKEN_URL',
    ),
  KAFKA_SASL_USERNAME: text.optional().describe('with KAFKA_SASL_MECHANISM'),
  KAFKA_SASL_PASSWORD: text.optional().describe('secret'),
  KAFKA_OAUTH_TOKEN_URL: httpUrl
    .refine(
      (url) =>
        url.startsWith('https:') || urlsIn([url]).every(({ hostname }) => isLoopback(hostname)),
      'must be https, or on this machine: the client secret is sent to it',
    )
    .optional()
    .describe('token endpoint that gives this client its tokens for the brokers (RFC 6749, 4.4)'),
  KAFKA_OAUTH_CLIENT_ID: text.optional().describe('with KAFKA_OAUTH_TOKEN_URL'),
  KAFKA_OAUTH_CLIENT_SECRET: text.optional().describe('secret; with KAFKA_OAUTH_CLIENT_ID'),
  KAFKA_OAUTH_SCOPE: text.optional().describe('scope of these tokens, if the endpoint wants one'),
}

const Kafka = z.object(KAFKA_VARIABLES)
type KafkaVariables = z.infer<typeof Kafka>
type KafkaVariable = keyof KafkaVariables

const PASSWORD: readonly KafkaVariable[] = ['KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD']
const OAUTH: readonly KafkaVariable[] = [
  'KAFKA_OAUTH_TOKEN_URL',
  'KAFKA_OAUTH_CLIENT_ID',
  'KAFKA_OAUTH_CLIENT_SECRET',
]
const OPTIONAL_OAUTH: readonly KafkaVariable[] = ['KAFKA_OAUTH_SCOPE']
const OF_TLS: readonly KafkaVariable[] = [
  'KAFKA_TLS_CA_FILE',
  'KAFKA_TLS_CERT_FILE',
  'KAFKA_TLS_KEY_FILE',
]

/** The rules across these variables: `refuse` is called for each that does not hold, with its cure. */
export function checkKafkaVariables(
  value: KafkaVariables,
  refuse: (variable: KafkaVariable, message: string) => void,
): void {
  const mechanism = value.KAFKA_SASL_MECHANISM
  const isOAuth = mechanism === 'oauthbearer'
  const wanted = mechanism === undefined ? [] : isOAuth ? OAUTH : PASSWORD
  const others = isOAuth ? PASSWORD : mechanism === undefined ? [...PASSWORD, ...OAUTH] : OAUTH
  for (const name of wanted) {
    if (value[name] === undefined)
      refuse(name, `is required with KAFKA_SASL_MECHANISM=${mechanism}`)
  }
  for (const name of [...others, ...(isOAuth ? [] : OPTIONAL_OAUTH)]) {
    if (value[name] === undefined) continue
    refuse(name, `requires KAFKA_SASL_MECHANISM${PASSWORD.includes(name) ? '' : '=oauthbearer'}`)
  }
  for (const name of OF_TLS) {
    if (value[name] !== undefined && !value.KAFKA_TLS) refuse(name, 'requires KAFKA_TLS=true')
  }
  if ((value.KAFKA_TLS_CERT_FILE === undefined) !== (value.KAFKA_TLS_KEY_FILE === undefined)) {
    refuse(
      'KAFKA_TLS_CERT_FILE',
      'requires KAFKA_TLS_KEY_FILE, and it requires this: set both or none',
    )
  }
}
