import { expect, test } from 'vitest'
import { systemLookup } from '../../../src/adapters/webhooks/system-lookup.ts'
import { systemClock as clock } from '../../support/system-clock.ts'

test('names have the addresses that the system has for them', async () => {
  const lookUp = systemLookup(clock)
  const addresses = await lookUp('localhost')
  expect(addresses.length).toBeGreaterThan(0)
  for (const address of addresses) expect(['127.0.0.1', '::1']).toContain(address)
})

test('one that cannot be looked up has none', async () => {
  const lookUp = systemLookup(clock, async () => {
    throw Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' })
  })
  expect(await lookUp('hooks.example')).toEqual([])
})

test('one that is not looked up within 2 s has none', async () => {
  const waits: number[] = []
  const quick = { sleep: async (ms: number) => void waits.push(ms) }
  const lookUp = systemLookup(quick, () => new Promise(() => {}))
  expect(await lookUp('hooks.example')).toEqual([])
  expect(waits).toEqual([2_000])
})
