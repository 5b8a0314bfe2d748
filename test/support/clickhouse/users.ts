import { z } from 'zod'

/**
 * The server's users: `readonly` as ClickHouse's setting; `grants` as `GRANT` takes them before its
 * `TO`, all rights where absent.
 */
export const ClickHouseUsers = z.record(
  z.string(),
  z.strictObject({
    password: z.string(),
    readonly: z.literal([0, 1, 2]).exactOptional(),
    grants: z.array(z.string()).exactOptional(),
  }),
)
export type ClickHouseUsers = z.infer<typeof ClickHouseUsers>

/** An exception as the server tells it. */
export class Exception extends Error {
  readonly code: number

  constructor(code: number, words: string, name: string) {
    super(`${words} (${name})`)
    this.code = code
  }
}

const CHANGES = /^\s*(?:INSERT|CREATE|ALTER|DROP|RENAME|TRUNCATE|OPTIMIZE|DELETE)\b/i

/**
 * The user's name, once what the engine here cannot check was: passwords, and settings of readers
 * (src/Access/SettingsConstraints.cpp), as far as these tests need it.
 */
export function requireAccess(
  users: ClickHouseUsers,
  authorization: string,
  query: string,
  settings: readonly string[],
): string {
  const [name = '', password = ''] = Buffer.from(authorization.replace(/^Basic /, ''), 'base64')
    .toString()
    .split(/:(.*)/s)
  const user = users[name]
  if (!user || user.password !== password) {
    throw new Exception(
      516,
      `${name}: Authentication failed: password is incorrect, or there is no user with such name.`,
      'AUTHENTICATION_FAILED',
    )
  }
  const [first] = settings
  if (user.readonly === 1 && first !== undefined) {
    throw new Exception(164, `Cannot modify '${first}' setting in readonly mode.`, 'READONLY')
  }
  if (user.readonly && CHANGES.test(query)) {
    throw new Exception(164, `${name}: Cannot execute query in readonly mode.`, 'READONLY')
  }
  return name
}

/** Of the engine's own user, which takes the role of who asks. */
const ADMIN = 'all_rights'

export const roleOf = (users: ClickHouseUsers, name: string): string =>
  users[name]?.grants ? `\`${name}\`` : ADMIN

/** As files of ClickHouse's configuration: a role for each user that has no more than its grants. */
export function accessFile(users: ClickHouseUsers): string {
  const roles = Object.entries(users).flatMap(([name, { grants }]) =>
    grants ? [{ name, grants }] : [],
  )
  const all = [{ name: ADMIN, grants: ['GRANT ALL ON *.*'] }, ...roles]
  const names = all.map(({ name }) => `\`${name}\``).join(', ')
  return `<clickhouse>
  <profiles><default/></profiles>
  <quotas><default/></quotas>
  <roles>${all.map((role) => `<${role.name}>${grantsOf(role.grants)}</${role.name}>`).join('')}</roles>
  <users>
    <default>
      <password/>
      <networks><ip>::/0</ip></networks>
      <profile>default</profile>
      <quota>default</quota>
      ${grantsOf([`GRANT ${names}`])}
    </default>
  </users>
</clickhouse>
`
}

const grantsOf = (grants: readonly string[]): string =>
  `<grants>${grants.map((grant) => `<query>${grant}</query>`).join('')}</grants>`
