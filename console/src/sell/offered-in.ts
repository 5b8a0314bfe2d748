/**
 * The offered output, TXID:VOUT, as the message of a withdrawal names it: an order may have other inputs
 * before it. Null: the message names none.
 */
export const offeredIn = (challenge: string): string | null =>
  /^outpoint: (\S+)$/m.exec(challenge)?.[1] ?? null
