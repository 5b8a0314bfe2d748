import type { ComponentChildren } from 'preact'
import { Waiting } from '../ui/awaited/waiting.tsx'

interface OfMarket {
  protocol_id: string | null
  token: string | null
}

/** Are all rows of one market and token? Prices of different things make no curve. */
const areOfOneMarket = (rows: readonly OfMarket[]): boolean =>
  rows.every(
    ({ protocol_id, token }) => protocol_id === rows[0]?.protocol_id && token === rows[0].token,
  )

interface Drawn<Row> {
  query: { data: { rows: readonly Row[] } | undefined; error: unknown; refetch(): unknown }
  /** Said where there are no rows. */
  none: ComponentChildren
  /** What is drawn of one market and token alone. */
  what: string
  children(rows: readonly Row[]): ComponentChildren
}

/** Rows that are drawn, once there are some, and if they are all of one market and token. */
export function OneMarket<Row extends OfMarket>({ query, none, what, children }: Drawn<Row>) {
  const { data } = query
  return (
    <>
      <Waiting query={query} />
      {data?.rows.length === 0 && <p class="empty">{none}</p>}
      {data &&
        data.rows.length > 0 &&
        (areOfOneMarket(data.rows) ? (
          children(data.rows)
        ) : (
          <p class="quiet">Several tokens: choose one above, and its {what} drawn.</p>
        ))}
    </>
  )
}
