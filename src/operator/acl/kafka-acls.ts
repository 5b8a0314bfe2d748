import { type KafkaRight, kafkaRights } from '../../adapters/kafka/client/rights.ts'
import { logUsesOf } from '../../roles/rights/needs-of.ts'
import type { ServerNeeds } from '../../roles/rights/server-needs.ts'
import type { Config } from '../../schemas/config/config.ts'

/** The rights of one user of Kafka. */
export interface KafkaAcl {
  user: string
  rights: KafkaRight[]
}

/** The least rights in Kafka for these needs, with the names of the configuration. */
export const kafkaAcl = (
  { KAFKA_PREFIX, KAFKA_SASL_USERNAME = 'market' }: Config,
  needs: readonly ServerNeeds[],
  user = KAFKA_SASL_USERNAME,
): KafkaAcl => ({ user, rights: kafkaRights(logUsesOf(needs), KAFKA_PREFIX) })

/** An administrator's login, in a file of Kafka's own. */
const ADMIN = 'admin.properties'

/** Placeholder where the configuration names no brokers. */
const BROKERS = ['BROKERS']

/** A command of Kafka's own tool for each right; a comment if there is none. */
export function kafkaAclLines(
  { KAFKA_BROKERS = BROKERS }: Config,
  { user, rights }: KafkaAcl,
): string[] {
  if (rights.length === 0) return ['# opens no log in Kafka: no right is needed']
  const to = `--bootstrap-server ${KAFKA_BROKERS.join(',')} --command-config ${ADMIN}`
  return rights.map(
    ({ resource, name, pattern, operation }) =>
      `kafka-acls.sh ${to} --add --allow-principal ${quoted(`User:${user}`)} --operation ${operation} --${resource} ${name} --resource-pattern-type ${pattern}`,
  )
}

/** For a shell: a distinguished name has spaces. */
const quoted = (text: string): string =>
  /^[\w.:=,@/-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
