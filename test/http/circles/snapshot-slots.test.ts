import { expect, test } from 'vitest'
import { SnapshotSlots } from '../../../src/http/circles/snapshot-slots.ts'

const v4 = (n: number, net = 0) => [`10.0.${net}.${n}`, `10.0.${net}.0/24`]
const v6 = (n: number) => [`2001:db8:0:${n}::`, `2001:db8:0:${n >> 8}00::/56`, '2001:db8::/48']
const taken = (places: SnapshotSlots, of: (n: number) => string[], count: number) =>
  Array.from({ length: count }, (_, n) => places.take(of(n))).filter((place) => place !== null)

test('a client is sent two at once, a network around it eight, a wider one 32', () => {
  const places = new SnapshotSlots()
  const first = taken(places, () => v4(1), 5)
  expect(first).toHaveLength(2)
  expect(taken(places, (n) => v4(n + 2), 10)).toHaveLength(6)
  expect(places.take(v4(99))).toBeNull()
  expect(taken(places, (n) => v6(n << 8), 50)).toHaveLength(32)
  first[0]?.()
  expect(places.take(v4(99))).not.toBeNull()
})

test('all clients together are sent 64, and a place that is given back is free', () => {
  const places = new SnapshotSlots()
  const all = taken(places, (n) => v4(1, n), 100)
  expect(all).toHaveLength(64)
  for (const leave of all) leave()
  expect(taken(places, (n) => v4(1, n), 100)).toHaveLength(64)
})
