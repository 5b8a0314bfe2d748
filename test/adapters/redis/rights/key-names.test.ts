import { expect, test } from 'vitest'
import { rootOf, taggedRoot, tagOfClient } from '../../../../src/adapters/redis/rights/key-names.ts'
import { redisAcl, redisAclLines } from '../../../../src/operator/acl/redis-acl.ts'
import { needsOfRole } from '../../../../src/roles/rights/role-needs.ts'
import { Config } from '../../../../src/schemas/config/config.ts'

const ROOT = rootOf('market')
const CURSOR_KEY = 'ab'.repeat(32)

test('every tag of a service has its prefix within the braces', () => {
  expect(ROOT).toBe('{market}:')
  expect(taggedRoot(ROOT, '')).toBe(ROOT)
  expect(taggedRoot(ROOT, 'claims')).toBe('{market:claims}:')
})

test('a client always has the same tag, and many clients spread over all of them', () => {
  const tags = Array.from({ length: 2_000 }, (_, n) => tagOfClient(`10.0.${n >> 8}.${n & 255}`))
  expect(tagOfClient('10.0.0.7')).toBe(tags[7])
  const counts = new Map<string, number>()
  for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  expect(counts.size).toBe(64)
  expect([...counts.keys()].every((tag) => /^c:\d\d?$/.test(tag))).toBe(true)
  expect(Math.max(...counts.values())).toBeLessThan((2_000 / 64) * 3)
})

test('the rights of a cluster are printed for a configuration that names one', () => {
  const linesFor = (REDIS_URL: string) => {
    const config = Config.parse({ REDIS_URL, CURSOR_KEY })
    return redisAclLines(redisAcl(config, needsOfRole('gateway'))).join(' ')
  }
  const one = linesFor('redis://a.example')
  const several = linesFor('redis://a.example,redis://b.example')
  for (const right of ['+asking', '+cluster|info', '+cluster|slots']) {
    expect(one).not.toContain(right)
    expect(several).toContain(right)
  }
  expect(one).toContain(' ~{market:c:*}:limit:* ')
  expect(linesFor('redis://a.example/2')).toContain('+select')
  expect(several).not.toContain('+select')
})
