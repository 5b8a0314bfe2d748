/**
 * Ranges of a number in bitmaps: every order is in the bitmap of its number's band and in those of
 * the wider bands around it, so that a range is some dozens of bitmaps and, at its ends, parts of
 * two bands.
 */
export interface Band {
  name: string
  /** Inclusive. */
  from: bigint
  to: bigint
}

export interface BandTree {
  /** The widest bands, ascending and without gaps. */
  roots: readonly Band[]
  /** The bands that a band consists of; empty for the narrowest. */
  parts(band: Band): readonly Band[]
}

/** The bitmaps of the orders whose number is in a range, and what remains of it at its ends. */
export interface Cover {
  whole: string[]
  /** Inclusive ranges, each within one of the narrowest bands. */
  ends: [from: bigint, to: bigint][]
}

export function coverOf(tree: BandTree, from: bigint, to: bigint): Cover {
  const cover: Cover = { whole: [], ends: [] }
  const visit = (band: Band) => {
    if (band.to < from || band.from > to) return
    if (band.from >= from && band.to <= to) cover.whole.push(band.name)
    else {
      const parts = tree.parts(band)
      if (parts.length === 0) cover.ends.push([max(band.from, from), min(band.to, to)])
      for (const part of parts) visit(part)
    }
  }
  for (const root of tree.roots) visit(root)
  return cover
}

/** The names of the bands that a number is in, the widest first. */
export function bandsOf(tree: BandTree, value: bigint): string[] {
  const names: string[] = []
  let level = tree.roots
  for (;;) {
    const band = level.find(({ from, to }) => from <= value && value <= to)
    if (!band) return names
    names.push(band.name)
    level = tree.parts(band)
  }
}

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b)
const min = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/** Prices have up to 16 digits; those of one digit count as having two. */
const FEWEST_DIGITS = 2
const MOST_DIGITS = 16
/** Leading digits of the narrowest band of prices: it is 1 % to 10 % wide. */
const LEADING = 2

/** Sats by the number of digits, then by the first digit, then by the first two. */
export const PRICE_BANDS: BandTree = {
  roots: Array.from({ length: MOST_DIGITS - FEWEST_DIGITS + 1 }, (_, at) => {
    const digits = FEWEST_DIGITS + at
    const from = digits === FEWEST_DIGITS ? 0n : 10n ** BigInt(digits - 1)
    return { name: `price^${digits}^`, from, to: 10n ** BigInt(digits) - 1n }
  }),
  parts({ name, from, to }) {
    const [, digits = '', leading = ''] = name.split('^')
    if (leading.length === LEADING) return []
    const width = 10n ** BigInt(Number(digits) - leading.length - 1)
    const first = leading === '' ? from / width : 0n
    const start = leading === '' ? 0n : from
    const bands: Band[] = []
    for (let digit = first; digit < 10n; digit += 1n) {
      const below = start + digit * width
      if (below > to) break
      bands.push({ name: `${name}${digit}`, from: below, to: below + width - 1n })
    }
    return bands
  },
}

/** The end of the last band of prices, above any amount. */
export const PRICE_END = 10n ** BigInt(MOST_DIGITS) - 1n

const DAY_MS = 86_400_000n
/** Days since 1970 in four hexadecimal digits: up to the year 2149. */
const DAY_DIGITS = 4

const daysBand = (prefix: string): Band => {
  const days = 16n ** BigInt(DAY_DIGITS - prefix.length)
  const from = BigInt(`0x${prefix}`) * days * DAY_MS
  return { name: `updated^${prefix}`, from, to: from + days * DAY_MS - 1n }
}
const HEX = [...'0123456789abcdef']

/** Unix milliseconds by day, and by the 16, 256 and 4,096 days around it. */
export const TIME_BANDS: BandTree = {
  roots: HEX.map(daysBand),
  parts({ name }) {
    const prefix = name.slice(name.indexOf('^') + 1)
    return prefix.length === DAY_DIGITS ? [] : HEX.map((digit) => daysBand(prefix + digit))
  },
}

/** After the last band of times. */
export const TIME_END = 16n ** BigInt(DAY_DIGITS) * DAY_MS - 1n
