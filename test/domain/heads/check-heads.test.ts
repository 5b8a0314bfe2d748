import { expect, test } from 'vitest'
import { HeadsCheck } from '../../../src/domain/heads/check-heads.ts'
import {
  digestWith,
  emptyDigest,
  type LogDigest,
  writtenHash,
} from '../../../src/domain/heads/log-digest.ts'
import { type HeadSigner, openHeadSigner } from '../../../src/domain/heads/sign-head.ts'
import { sealChange } from '../../../src/domain/order/change-chain.ts'
import type { ChangeRecord, LifecycleRecord } from '../../../src/schemas/log.ts'
import type { SignedHead } from '../../../src/schemas/log-head.ts'
import { AT } from '../../support/orders/evidence.ts'
import { bookOf, dice } from '../../support/orders/order-book.ts'
import { lifeOf, mutated, outcomeOf } from '../../support/orders/order-changes.ts'

const PARTITION = 3
const signerOf = (byte: string): HeadSigner =>
  openHeadSigner(Buffer.from(byte.repeat(32), 'hex'), 'regtest') ?? expect.fail()
const signer = signerOf('11')

interface Placed {
  offset: number
  value: LifecycleRecord
}

/** Three orders of three changes and an outcome each, at every second offset. */
const LOG: readonly Placed[] = bookOf(3, 5)
  .flatMap((order, n): LifecycleRecord[] => [
    ...lifeOf([order, mutated(dice(n), order), mutated(dice(n + 9), order)]).changes,
    outcomeOf(`r${n}`, order.id, 3),
  ])
  .map((value, at) => ({ offset: at * 2, value }))

/** Heads over the first so many records, as their writer signs them. */
function headsOver(counts: readonly number[], from = 0, by = signer): SignedHead[] {
  let digest: LogDigest = emptyDigest(from)
  const heads: SignedHead[] = []
  const sign = (offset: number) => {
    const { count, digest: over } = digest
    heads.push(by.sign({ partition: PARTITION, from, offset, count, digest: over, at: AT }))
  }
  if (counts.includes(0)) sign(from)
  for (const { offset, value } of LOG.filter((record) => record.offset >= from)) {
    digest = digestWith(digest, writtenHash(value))
    if (counts.includes(digest.count)) sign(offset + 1)
  }
  return heads
}

function check(log: readonly Placed[], heads: readonly unknown[], keys: readonly string[] = []) {
  const one = new HeadsCheck(heads, { network: 'regtest', partition: PARTITION, keys })
  // As it is read: through JSON.
  for (const { offset, value } of log) one.take(offset, JSON.parse(JSON.stringify(value)))
  one.end()
  return one
}

test('a log that is as it was signed has no problem, whatever came after the last head', () => {
  for (const counts of [[], [0], [4], [0, 1, 5, 12], [12]]) {
    const { problems, last } = check(LOG, headsOver(counts), [signer.publicKey])
    expect([problems, last?.count]).toEqual([[], counts.at(-1)])
  }
})

const HEADS = headsOver([4, 8, 12])
const [first, second, third] = HEADS.map(({ offset }) => offset)

/** The record at a place is that of a chain that was made anew from there on. */
function rebuilt(at: number): Placed[] {
  let prevHash: string | null = null
  const changed = LOG[at]?.value as ChangeRecord
  return LOG.map((placed, place) => {
    const { value } = placed
    if (place < at || value.kind === 'outcome' || value.orderId !== changed.orderId) return placed
    const { hash: _, ...change } = value
    const sealed = sealChange({
      ...change,
      ...(place === at ? { reason: 'by me' } : { prevHash }),
    })
    prevHash = sealed.hash
    return { ...placed, value: sealed }
  })
}

test.each<[string, readonly Placed[], string]>([
  [
    'the tail of an order is cut',
    LOG.filter((_, at) => at !== 10 && at !== 11),
    `10 records instead of the 12 that were signed at ${AT} diverge from offset ${second} to ${third}`,
  ],
  [
    'a chain is made anew',
    rebuilt(5),
    `other records than the 8 that were signed at ${AT} diverge from offset ${first} to ${second}`,
  ],
  [
    'an outcome is removed',
    LOG.filter((_, at) => at !== 3),
    `3 records instead of the 4 that were signed at ${AT} diverge from offset 0 to ${first}`,
  ],
  [
    'a change is edited and keeps its hash',
    LOG.map((placed, at) =>
      at === 6
        ? { ...placed, value: { ...placed.value, reason: 'by me' } as ChangeRecord }
        : placed,
    ),
    `other records than the 8 that were signed at ${AT} diverge from offset ${first} to ${second}`,
  ],
  [
    'two records changed places',
    LOG.map((placed, at) =>
      at === 0 || at === 4 ? { ...placed, value: LOG[4 - at]?.value ?? placed.value } : placed,
    ),
    `other records than the 4 that were signed at ${AT} diverge from offset 0 to ${first}`,
  ],
  [
    'all is gone',
    [],
    `0 records instead of the 4 that were signed at ${AT} diverge from offset 0 to ${first}`,
  ],
])('it is found where %s', (_, log, problem) => {
  expect(check(log, HEADS).problems).toEqual([`partition ${PARTITION}: ${problem}`])
})

test('a count that began again later is compared by itself', () => {
  const from = LOG[6]!.offset
  const heads = [...headsOver([4]), ...headsOver([0, 3, 6], from)]
  expect(check(LOG, heads).problems).toEqual([])
  const without = LOG.filter((_, at) => at !== 2)
  expect(check(without, heads).problems).toHaveLength(1)
  expect(check(without, heads).last?.from).toBe(from)
})

test('heads of a key that is not known, or that were edited, do not count', () => {
  const foreign = headsOver([12], 0, signerOf('22'))
  const unknown = [`partition ${PARTITION}: 1 of its 1 heads are signed by no known key`]
  expect(check(LOG, foreign).problems).toEqual([])
  expect(check(LOG, foreign, [signer.publicKey]).problems).toEqual(unknown)
  const [head] = headsOver([12])
  for (const edited of [
    { ...head, count: 11 },
    { ...head, partition: 2 },
    { ...head, network: 'mainnet' },
    { ...head, signature: '00'.repeat(64) },
    'no head',
  ])
    expect(check(LOG, [edited]).problems).toEqual(unknown)
})

test('a signer trusts its own heads, and those of the keys that it was given', () => {
  const other = signerOf('22')
  const [own] = headsOver([4])
  const [foreign] = headsOver([4], 0, other)
  const both = openHeadSigner(Buffer.from('11'.repeat(32), 'hex'), 'regtest', [other.publicKey])
  const trusted = [signer.trusts(own!), signer.trusts(foreign!), both?.trusts(foreign!)]
  expect(trusted).toEqual([true, false, true])
  expect(openHeadSigner(Buffer.alloc(32), 'regtest')).toBeNull()
})
