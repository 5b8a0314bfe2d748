import { SignedHead } from '../../schemas/log-head.ts'
import type { Network } from '../../schemas/scalars.ts'
import { digestWith, emptyDigest, foundHash, type LogDigest } from './log-digest.ts'
import { isSignedHead } from './sign-head.ts'

/** The partition that is checked, and the keys whose heads count. */
export interface TrustedHeads {
  network: Network
  partition: number
  /** Public keys; empty: whichever key a head names. */
  keys: readonly string[]
}

/**
 * Compares a partition's lifecycle with its signed heads, while its records are read once from the first to
 * the last. The heads are given in the order of their topic.
 */
export class HeadsCheck {
  readonly #heads: readonly SignedHead[]
  /** By the offset that it begins at; null: one of its heads differs already. */
  readonly #digests = new Map<number, LogDigest | null>()
  /** Where the last head was that agrees, by the same. */
  readonly #agreed = new Map<number, number>()
  #settled = 0
  readonly #partition: number
  /** What is wrong; empty: nothing. */
  readonly problems: string[] = []
  /** The last head that agrees; null: none does. */
  last: SignedHead | null = null

  constructor(values: readonly unknown[], trusted: TrustedHeads) {
    this.#partition = trusted.partition
    const heads = values.flatMap((value) => SignedHead.safeParse(value).data ?? [])
    const sound = heads.filter((head) => isTrusted(head, trusted))
    const others = values.length - sound.length
    if (others > 0)
      this.#wrong(`${others} of its ${values.length} heads are signed by no known key`)
    this.#heads = sound.toSorted((a, b) => a.offset - b.offset || a.count - b.count)
    for (const { from } of sound) this.#digests.set(from, emptyDigest(from))
  }

  /** The next record of the partition's lifecycle. */
  take(offset: number, value: unknown): void {
    this.#settle(offset)
    if (this.#digests.size === 0) return
    const hash = foundHash(value)
    for (const [from, digest] of this.#digests)
      if (digest && offset >= from) this.#digests.set(from, digestWith(digest, hash))
  }

  /** All records were taken. */
  end(): void {
    this.#settle(Number.POSITIVE_INFINITY)
  }

  /** Compares the heads that are over what precedes an offset. */
  #settle(offset: number): void {
    for (; this.#settled < this.#heads.length; this.#settled += 1) {
      const head = this.#heads[this.#settled]
      if (!head || head.offset > offset) return
      this.#compare(head)
    }
  }

  #compare(head: SignedHead): void {
    const found = this.#digests.get(head.from)
    if (!found) return
    if (found.count === head.count && found.digest === head.digest) {
      this.#agreed.set(head.from, head.offset)
      this.last = head
      return
    }
    this.#digests.set(head.from, null)
    const since = this.#agreed.get(head.from) ?? head.from
    const what =
      found.count === head.count
        ? `other records than the ${head.count}`
        : `${found.count} records instead of the ${head.count}`
    this.#wrong(
      `${what} that were signed at ${head.at} diverge from offset ${since} to ${head.offset}`,
    )
  }

  #wrong(what: string): void {
    this.problems.push(`partition ${this.#partition}: ${what}`)
  }
}

const isTrusted = (head: SignedHead, { network, partition, keys }: TrustedHeads): boolean =>
  head.network === network &&
  head.partition === partition &&
  (keys.length === 0 || keys.includes(head.publicKey)) &&
  isSignedHead(head)
