interface OfMarket {
  protocol_id: string | null
  token: string | null
}

/** Are all rows of one market and token? Prices of different things make no curve. */
export const areOfOneMarket = (rows: readonly OfMarket[]): boolean =>
  rows.every(
    ({ protocol_id, token }) => protocol_id === rows[0]?.protocol_id && token === rows[0].token,
  )
