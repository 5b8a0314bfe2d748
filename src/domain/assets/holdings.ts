import { createHash } from 'node:crypto'
import type { IndexProof } from '../../schemas/order-record.ts'

/** What an output holds, without the places within it. */
export interface Holdings {
  inscriptionIds: readonly string[]
  /** Null: the index does not follow runes. */
  runes: readonly { name: string; amount: string }[] | null
}

/** The holdings in an index answer; null if the output was not examined, or holds too many. */
export function holdingsOf(answer: Pick<IndexProof, 'indexed' | 'inscriptions' | 'runes'>) {
  const { indexed, inscriptions, runes } = answer
  if (!indexed || inscriptions === null) return null
  return { inscriptionIds: inscriptions.map(({ id }) => id), runes }
}

export const isEmpty = ({ inscriptionIds, runes }: Holdings): boolean =>
  inscriptionIds.length === 0 && (runes?.length ?? 0) === 0

/** A digest of 43 characters, however many holdings there are; their order does not matter. */
export function digestOfHoldings({ inscriptionIds, runes }: Holdings): string {
  const amounts = runes?.map(({ name, amount }) => `${name} ${amount}`).sort() ?? null
  return createHash('sha256')
    .update(JSON.stringify([[...inscriptionIds].sort(), amounts]))
    .digest('base64url')
}
