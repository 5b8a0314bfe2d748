import { NUMBERS } from './columns.ts'
import type { OrderRow } from './row.ts'

const TXID_BYTES = 32

type Write = (view: DataView, at: number, value: number | bigint) => void
type Read = (view: DataView, at: number) => number | bigint

/** How each kind of array is written: little-endian. */
const WAYS = new Map<unknown, { write: Write; read: Read }>([
  [
    Uint8Array,
    {
      write: (view, at, value) => view.setUint8(at, Number(value)),
      read: (view, at) => view.getUint8(at),
    },
  ],
  [
    Uint16Array,
    {
      write: (view, at, value) => view.setUint16(at, Number(value), true),
      read: (view, at) => view.getUint16(at, true),
    },
  ],
  [
    Uint32Array,
    {
      write: (view, at, value) => view.setUint32(at, Number(value), true),
      read: (view, at) => view.getUint32(at, true),
    },
  ],
  [
    Float64Array,
    {
      write: (view, at, value) => view.setFloat64(at, Number(value), true),
      read: (view, at) => view.getFloat64(at, true),
    },
  ],
  [
    BigUint64Array,
    {
      write: (view, at, value) => view.setBigUint64(at, BigInt(value), true),
      read: (view, at) => view.getBigUint64(at, true),
    },
  ],
])

interface Field {
  name: keyof typeof NUMBERS
  at: number
  write: Write
  read: Read
}

const FIELDS: Field[] = []
let end = 0
for (const [name, array] of Object.entries(NUMBERS)) {
  const way = WAYS.get(array)
  if (!way) throw new Error(`${name} has no form`)
  FIELDS.push({ name: name as Field['name'], at: end, ...way })
  end += array.BYTES_PER_ELEMENT
}
const TXID_AT = end
const TEXTS_AT = end + TXID_BYTES

/** Texts, assets and outputs: of no fixed length. */
type RestOfRow = Pick<
  OrderRow,
  'protocol' | 'market' | 'token' | 'seller' | 'assets' | 'funding' | 'spender'
>
/** It grows at its end alone: the release before this one reads what it knows of it (ADR 133). */
type RestTexts = [
  protocol: RestOfRow['protocol'],
  market: RestOfRow['market'],
  token: RestOfRow['token'],
  seller: RestOfRow['seller'],
  assets: RestOfRow['assets'],
  funding: RestOfRow['funding'],
  /** In base64; '': none. Absent in rows of 0.9. */
  spender?: string,
]

/** A row as bytes: its numbers, the txid, and the rest as JSON. Some 200 bytes. */
export function packRow(row: OrderRow): Buffer {
  const { protocol, market, token, seller, assets, funding, spender } = row
  const texts: RestTexts = [protocol, market, token, seller, assets, funding]
  if (spender !== undefined) texts.push(packTxid(spender))
  const rest = JSON.stringify(texts)
  const bytes = Buffer.allocUnsafe(TEXTS_AT + Buffer.byteLength(rest))
  const view = viewOf(bytes)
  for (const { name, at, write } of FIELDS) write(view, at, row[name])
  bytes.write(row.txid, TXID_AT, 'hex')
  bytes.write(rest, TEXTS_AT)
  return bytes
}

/** The row from the bytes that `packRow` made. */
export function unpackRow(bytes: Buffer): OrderRow {
  const view = viewOf(bytes)
  const numbers = Object.fromEntries(FIELDS.map(({ name, at, read }) => [name, read(view, at)]))
  const [protocol, market, token, seller, assets, funding, spender] = JSON.parse(
    bytes.toString('utf8', TEXTS_AT),
  ) as RestTexts
  return {
    ...(numbers as Pick<OrderRow, keyof typeof NUMBERS>),
    txid: bytes.toString('hex', TXID_AT, TEXTS_AT),
    protocol,
    market,
    token,
    seller,
    assets,
    funding,
    spender: spender === undefined ? undefined : unpackTxid(spender),
  }
}

const packTxid = (txid: string | null): string =>
  txid === null ? '' : Buffer.from(txid, 'hex').toString('base64')

const unpackTxid = (text: string): string | null =>
  text === '' ? null : Buffer.from(text, 'base64').toString('hex')

const viewOf = ({ buffer, byteOffset, byteLength }: Buffer): DataView =>
  new DataView(buffer, byteOffset, byteLength)
