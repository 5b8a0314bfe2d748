import { sha256 } from '@scure/btc-signer/utils.js'
import { bigEndian } from './bytewords.ts'

// BCR-2024-001: which fragments of a message a part mixes follows from its number alone.

const WORD = 2n ** 64n
const rotated = (word: bigint, by: bigint): bigint => ((word << by) | (word >> (64n - by))) % WORD

/** Xoshiro256**, as numbers from 0 to 1. */
function randomOf(seed: Uint8Array): () => number {
  const view = new DataView(Uint8Array.from(sha256(seed)).buffer)
  let [a, b, c, d] = [0, 8, 16, 24].map((at) => view.getBigUint64(at)) as [
    bigint,
    bigint,
    bigint,
    bigint,
  ]
  return () => {
    const word = (rotated((b * 5n) % WORD, 7n) * 9n) % WORD
    const shifted = (b << 17n) % WORD
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d = rotated(d, 45n)
    return Number(word) / 2 ** 64
  }
}

/** The indexes of the fragments that part `number` (from 1) of a message of `count` mixes. */
export function fragmentsOf(number: number, count: number, checksum: number): number[] {
  if (number <= count) return [number - 1]
  const random = randomOf(Uint8Array.of(...bigEndian(number), ...bigEndian(checksum)))
  const degree = degreeOf(count, random)
  const left = Array.from({ length: count }, (_, at) => at)
  return Array.from({ length: degree }, () => {
    const [taken = 0] = left.splice(Math.floor(random() * left.length), 1)
    return taken
  })
}

/** How many: 1 / n is the weight of n. By Vose's alias method, in the order of the reference. */
function degreeOf(count: number, random: () => number): number {
  const weights = Array.from({ length: count }, (_, at) => 1 / (at + 1))
  const sum = weights.reduce((total, weight) => total + weight, 0)
  const scaled = weights.map((weight) => (weight * count) / sum)
  const [small, large]: [number[], number[]] = [[], []]
  for (let at = count - 1; at >= 0; at -= 1) ((scaled[at] ?? 0) < 1 ? small : large).push(at)
  const odds = scaled.map(() => 1)
  const aliases = scaled.map(() => 0)
  while (small.length > 0 && large.length > 0) {
    const [less, more] = [small.pop() ?? 0, large.pop() ?? 0]
    odds[less] = scaled[less] ?? 0
    aliases[less] = more
    scaled[more] = (scaled[more] ?? 0) + (scaled[less] ?? 0) - 1
    ;((scaled[more] ?? 0) < 1 ? small : large).push(more)
  }
  const [first, second] = [random(), random()]
  const column = Math.floor(count * first)
  return (second < (odds[column] ?? 0) ? column : (aliases[column] ?? 0)) + 1
}
