import { type Command, Option } from 'commander'
import { SERVER_COMMANDS, type ServerCommand } from '../roles/rights/command-needs.ts'
import { needsOfAll, needsOfCommand } from '../roles/rights/needs-of.ts'
import { needsOfRole } from '../roles/rights/role-needs.ts'
import type { ServerNeeds } from '../roles/rights/server-needs.ts'
import { type Config, ROLES, type Role } from '../schemas/config/config.ts'
import { readConfig } from './terminal/environment.ts'
import { printJson, printLines } from './terminal/output.ts'

interface AclArguments {
  role?: Role
  command?: ServerCommand
  user?: string
  json?: true
}

/** The least rights in Kafka, Redis and ClickHouse, as their administrators take them. */
export function addAcl(program: Command): void {
  const acl = program
    .command('acl')
    .description('print the least rights that the service and its commands need')
  withOptions(acl.command('kafka'), 'KAFKA_SASL_USERNAME')
    .description('rights in Kafka: a line of kafka-acls.sh for each')
    .action(async (given: AclArguments) => {
      const { kafkaAcl, kafkaAclLines } = await import('../operator/acl/kafka-acls.ts')
      const config = readConfig()
      const rights = kafkaAcl(config, needsOf(config, given), given.user)
      await (given.json ? printJson(rights) : printLines(kafkaAclLines(config, rights)))
    })
  withOptions(acl.command('redis'), 'REDIS_USER')
    .description('rights in Redis: the line of ACL SETUSER, to which a password is added')
    .action(async (given: AclArguments) => {
      const { redisAcl, redisAclLines } = await import('../operator/acl/redis-acl.ts')
      const config = readConfig()
      const rights = redisAcl(config, needsOf(config, given), given.user)
      await (given.json ? printJson(rights) : printLines(redisAclLines(rights)))
    })
  withOptions(acl.command('clickhouse'), 'CLICKHOUSE_USER')
    .description(
      'rights in ClickHouse: statements for an administrator, to which a password is added',
    )
    .action(async (given: AclArguments) => {
      const { clickHouseGrants, clickHouseGrantLines } = await import(
        '../operator/acl/clickhouse-grants.ts'
      )
      const config = readConfig()
      const rights = clickHouseGrants(config, needsOf(config, given), given.user)
      await (given.json ? printJson(rights) : printLines(clickHouseGrantLines(rights)))
    })
}

const withOptions = (command: Command, variable: string): Command =>
  command
    .addOption(
      new Option('--role <role>', 'only of this role (default: all roles and commands)')
        .choices(ROLES)
        .conflicts('command'),
    )
    .addOption(
      new Option(
        '--command <command>',
        'only of this command; name both words of one that has two',
      ).choices(SERVER_COMMANDS),
    )
    .option('--user <name>', `name of the user (default: ${variable}, or market)`)
    .option('--json', 'print as JSON')

function needsOf({ ROLE }: Config, { role, command }: AclArguments): ServerNeeds[] {
  if (role) return needsOfRole(role)
  return command ? needsOfCommand(command, ROLE) : needsOfAll()
}
