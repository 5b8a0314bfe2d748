import { z } from 'zod'

/** The server's users: `readonly` as ClickHouse's setting, `databases` all where absent. */
export const ClickHouseUsers = z.record(
  z.string(),
  z.strictObject({
    password: z.string(),
    readonly: z.literal([0, 1, 2]).exactOptional(),
    databases: z.array(z.string()).exactOptional(),
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
const NEEDS_RIGHTS = /^\s*CREATE DATABASE (?:IF NOT EXISTS )?(?<database>\w+)/i

/**
 * What ClickHouse's access control checks before a query runs (src/Interpreters/Access,
 * src/Access/SettingsConstraints.cpp), as far as these tests need it.
 */
export function requireAccess(
  users: ClickHouseUsers,
  authorization: string,
  query: string,
  settings: readonly string[],
): void {
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
  const made = NEEDS_RIGHTS.exec(query)?.groups?.['database']
  if (made !== undefined && user.databases && !user.databases.includes(made)) {
    throw new Exception(
      497,
      `${name}: Not enough privileges. To execute this query, it's necessary to have the grant CREATE DATABASE ON ${made}.*.`,
      'ACCESS_DENIED',
    )
  }
}
