/** What a process does with the history; each writes its own tables, and makes the schema. */
export type HistoryUse = 'read' | 'writeOrders' | 'writePairing'

/** A privilege by its name in ClickHouse's `GRANT`. */
export type HistoryPrivilege =
  | 'SELECT'
  | 'INSERT'
  | 'CREATE TABLE'
  | 'DROP TABLE'
  | 'DROP VIEW'
  | 'ALTER ADD COLUMN'
  | 'ALTER ADD INDEX'
  | 'ALTER MATERIALIZE INDEX'

/** Privileges on tables of the database. */
export interface HistoryRight {
  privileges: readonly HistoryPrivilege[]
  /** A name of one; with `*` at its end, of all that begin so. */
  table: string
}

/** What the statements of the migrations need, on every table; who may create one may create views. */
const SCHEMA_PRIVILEGES: readonly HistoryPrivilege[] = [
  'CREATE TABLE',
  'ALTER ADD COLUMN',
  'ALTER ADD INDEX',
  'ALTER MATERIALIZE INDEX',
]

/**
 * `CREATE OR REPLACE VIEW` makes a view of such a name, exchanges the two, and drops it: of an exchange
 * ClickHouse asks what it asks of one of tables, on both names.
 */
const REPLACING = '_tmp_replace_*'
/** The views that a migration replaces. */
const REPLACED = ['stats_sales', 'stats_sellers', 'stats_sources']

/** The tables into which a use inserts. */
const INSERTED: Readonly<Record<HistoryUse, readonly string[]>> = {
  read: [],
  writeOrders: [
    'activity_rows',
    'order_evidence_rows',
    'order_transition_rows',
    'position_rows',
    'schema_migrations',
    'settlement_rows',
    'verification_rows',
  ],
  writePairing: [
    'pairing_block_rows',
    'pairing_event_rows',
    'pairing_transaction_rows',
    'schema_migrations',
  ],
}

/**
 * The least rights for all of these uses together, in a database that exists. Views read with the
 * rights of who asks, so reading is of all tables.
 */
export function historyRights(uses: readonly HistoryUse[]): HistoryRight[] {
  if (uses.length === 0) return []
  const inserted = new Set(uses.flatMap((use) => INSERTED[use]))
  if (inserted.size === 0) return [{ privileges: ['SELECT'], table: '*' }]
  return [
    { privileges: ['SELECT', ...SCHEMA_PRIVILEGES], table: '*' },
    { privileges: ['DROP TABLE'], table: REPLACING },
    ...REPLACED.map((table) => ({ privileges: ['INSERT', 'DROP VIEW'] as const, table })),
    ...[...inserted].map((table) => ({ privileges: ['INSERT'] as const, table })),
  ]
}
