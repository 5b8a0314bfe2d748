const HASH = /^[0-9a-f]{64}$/i
const OUTPOINT = /^[0-9a-f]{64}:(?:0|[1-9][0-9]{0,9})$/i
const ADDRESS = /^(?:(?:bc|tb|bcrt)1[0-9a-z]{6,90}|[123mn][1-9A-HJ-NP-Za-km-z]{25,34})$/i

/** What pairing's search takes: a key, a txid, an outpoint, an address, or a part of a label. */
const PAIRING = /^[A-Za-z0-9:._-]+$/

/** What a text can be the name of, by its form alone. */
export interface LookedFor {
  text: string
  /** A txid, or the id of an order, an object, a circle or a lineage. */
  hash: string | null
  outpoint: string | null
  address: string | null
  /** Null: no object can have that name. */
  pairing: string | null
}

export function lookedFor(given: string): LookedFor {
  const text = given.trim()
  const lower = text.toLowerCase()
  const hash = HASH.test(text) ? lower : null
  const outpoint = OUTPOINT.test(text) ? lower : null
  return {
    text,
    hash,
    outpoint,
    address: ADDRESS.test(text) ? text : null,
    pairing: hash ?? outpoint ?? (PAIRING.test(text) ? text : null),
  }
}
