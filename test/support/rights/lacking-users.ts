import { CONSUMER_GROUPS } from '../../../src/adapters/kafka/client/names.ts'
import type { ServerCommand } from '../../../src/roles/rights/command-needs.ts'
import { needsOfCommand } from '../../../src/roles/rights/needs-of.ts'
import { needsOfRole } from '../../../src/roles/rights/role-needs.ts'
import type { Role } from '../../../src/schemas/config/config.ts'
import type { GrantedUser } from './granted-users.ts'
import type { HistoryUser } from './history-users.ts'

const READERS = CONSUMER_GROUPS.readers.name

type Part = Exclude<Role, 'all'>

/** As whom a command is run. */
export const userOf = (what: string): string => what.replaceAll(' ', '-')
export const commandUser = (name: ServerCommand) => ({
  ...{ name: userOf(name), needs: needsOfCommand(name, 'all') },
})

/** One that lacks a right, and what the process that has its login must say. */
export interface LackingUser extends GrantedUser, HistoryUser {
  args: readonly string[]
  variables?: Record<string, string>
  says: string | RegExp
}

const withoutLine = (part: string) => (lines: string[]) =>
  lines.filter((line) => !line.includes(part))
/** It may still ask for what is described. */
const describedOnly = (part: string) => (lines: string[]) =>
  lines.map((line) => (line.includes(part) ? line.replace(/ (?:Read|Write) /, ' Describe ') : line))
const roleStart = (ROLE: Part) => ({ args: ['start'], variables: { ROLE } })

export const LACKING: readonly LackingUser[] = [
  {
    ...{ ...commandUser('doctor'), name: 'doctor-no-reader', args: ['doctor'] },
    kafka: withoutLine(` ${READERS} `),
    says: `the Kafka user lacks the right Read on group ${READERS}`,
  },
  {
    ...{ ...commandUser('lag'), name: 'lag-no-group', args: ['lag'] },
    kafka: withoutLine(' market-orders '),
    says: 'the Kafka user lacks the right Describe on group market-orders: grant what "market acl kafka" prints',
  },
  {
    ...{ ...commandUser('tail'), name: 'tail-no-read', args: ['tail', '--no-follow'] },
    kafka: describedOnly(' orders.lifecycle '),
    says: 'the Kafka user lacks the right Read on topic orders.lifecycle: grant',
  },
  {
    ...{ ...commandUser('usage'), name: 'usage-no-topic', args: ['usage'] },
    kafka: withoutLine(' orders.dead '),
    says: 'the Kafka user lacks the right DescribeConfigs on topic orders.dead: grant',
  },
  {
    ...{ ...commandUser('tail'), name: 'tail-no-describe', args: ['tail', '--no-follow'] },
    kafka: (lines) => lines.filter((line) => !/ Read .* circles\.states /.test(line)),
    says: 'the Kafka user lacks the right Describe on topic circles.states: grant',
  },
  {
    ...{ ...commandUser('dlq retry'), name: 'retry-no-id', args: ['dlq', 'retry', '--all'] },
    kafka: withoutLine(' --transactional-id '),
    says: 'the Kafka user lacks the right Write on transactional-id market-append-',
  },
  {
    ...{ ...commandUser('dlq retry'), name: 'retry-no-write', args: ['dlq', 'retry', '--all'] },
    kafka: (lines) => lines.filter((line) => !/ Write .* orders\.dead /.test(line)),
    says: /lacks the right Write on topic (?:orders\.inbox or )?orders\.dead(?: or orders\.inbox)?: grant/,
  },
  {
    ...{ ...commandUser('lag'), name: 'lag-no-views', args: ['lag'] },
    redis: (line) => line.replace(' %R~{market}:v:*', ''),
    says: 'the Redis user lacks a permission on the keys {market}:v:*: grant what "market acl redis" prints',
  },
  {
    ...{ name: 'projector-no-xadd', needs: needsOfRole('projector'), ...roleStart('projector') },
    redis: (line) => line.replace(' +xadd', ''),
    says: /the Redis user lacks a permission: grant what "market acl redis" prints \(NOPERM .*'xadd'/,
  },
  {
    ...{ name: 'projector-no-insert', needs: needsOfRole('projector'), ...roleStart('projector') },
    history: (rights) => rights.filter(({ table }) => table !== 'schema_migrations'),
    says: 'lacks a privilege: grant what "market acl clickhouse" prints',
  },
  {
    ...{ ...commandUser('query'), name: 'query-no-select', args: ['query', 'verdicts'] },
    history: () => [],
    says: 'may see: the service that writes the history creates it when it starts; if it is there, grant what "market acl clickhouse" prints',
  },
  {
    ...{ name: 'actors-no-group', needs: needsOfRole('actors'), ...roleStart('actors') },
    kafka: withoutLine(` ${CONSUMER_GROUPS.orders.name} `),
    says: 'the Kafka user lacks the right Read on group market-orders: grant',
  },
  {
    ...{ name: 'ingest-no-id', needs: needsOfRole('ingest'), ...roleStart('ingest') },
    kafka: withoutLine(' --transactional-id '),
    says: 'the Kafka user lacks the right Write on transactional-id market-ingest: grant',
  },
  {
    ...{ name: 'ingest-no-group', needs: needsOfRole('ingest'), ...roleStart('ingest') },
    kafka: withoutLine(` ${CONSUMER_GROUPS.ingest.name} `),
    says: 'the Kafka user lacks the right Read on group market-ingest: grant',
  },
  {
    ...{ name: 'actors-no-create', needs: needsOfRole('actors'), args: ['start'] },
    variables: { ROLE: 'actors', KAFKA_PREFIX: 'fresh.' },
    kafka: (lines) =>
      withoutLine(' Create ')(lines).map((line) =>
        line.replace(/(--\S+) (\S+) --resource/, '$1 fresh.$2 --resource'),
      ),
    says: 'the Kafka user lacks the right Create on topic fresh.market.settings: grant',
  },
]
