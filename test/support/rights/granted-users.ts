import kafkajs, { type AclEntry } from 'kafkajs'
import { kafkaAcl, kafkaAclLines } from '../../../src/operator/acl/kafka-acls.ts'
import { redisAcl, redisAclLines } from '../../../src/operator/acl/redis-acl.ts'
import type { ServerNeeds } from '../../../src/roles/rights/server-needs.ts'
import type { Config } from '../../../src/schemas/config/config.ts'
import type { KafkaServer } from '../services/kafka.ts'
import type { RedisServer } from '../services/redis.ts'

// Users with the rights that `market acl` prints, on servers that check them.

const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs

export interface GrantedUser {
  name: string
  needs: readonly ServerNeeds[]
  /** Changes the printed lines before they are run. */
  kafka?: (lines: string[]) => string[]
  redis?: (line: string) => string
}

/** Runs what is printed for each user. */
export async function grantUsers(
  { kafka, redis }: { kafka: KafkaServer; redis: RedisServer },
  config: Config,
  users: readonly GrantedUser[],
  password: string,
): Promise<void> {
  const acl = users.flatMap(({ name, needs, kafka: change = unchanged }) =>
    change(kafkaAclLines(config, kafkaAcl(config, needs, name))).flatMap(entryOf),
  )
  const admin = kafka.client().admin()
  await admin.connect()
  await admin.createAcls({ acl })
  await admin.disconnect()
  for (const { name, needs, redis: change = unchanged } of users) {
    const [line = ''] = redisAclLines(redisAcl(config, needs, name)).map(change)
    if (line.startsWith('#')) continue
    const [command = '', ...words] = line.replace('>PASSWORD', `>${password}`).split(' ')
    await redis.admin.call(command, ...words)
  }
}

const unchanged = <T>(lines: T): T => lines

const LINE =
  /^kafka-acls\.sh .* --add --allow-principal (?<principal>\S+) --operation (?<operation>\w+) --(?<resource>\S+) (?<name>\S+) --resource-pattern-type (?<pattern>\w+)$/

/** As `kafka-acls.sh` reads it; none for a comment. */
function entryOf(line: string): AclEntry[] {
  if (line.startsWith('#')) return []
  const { principal, operation, resource, name, pattern } = LINE.exec(line)?.groups ?? {}
  if (!principal || !operation || !resource || !name || !pattern)
    throw new Error(`not a line of kafka-acls.sh: ${line}`)
  return [
    {
      principal,
      host: '*',
      operation: AclOperationTypes[constantOf(operation) as keyof typeof AclOperationTypes],
      permissionType: AclPermissionTypes.ALLOW,
      resourceType: AclResourceTypes[constantOf(resource) as keyof typeof AclResourceTypes],
      resourceName: name,
      resourcePatternType:
        ResourcePatternTypes[constantOf(pattern) as keyof typeof ResourcePatternTypes],
    },
  ]
}

/** `DescribeConfigs` and `transactional-id` as kafkajs names them. */
const constantOf = (name: string): string =>
  name
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_')
    .replaceAll('-', '_')
    .toUpperCase()
