import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { GENERATED } from '../../scripts/generate-docs.ts'
import { ORDER_EDGES } from '../../src/actors/order/order-edges.ts'
import { orderMachine } from '../../src/actors/order/order-machine.ts'
import { REASONS } from '../../src/domain/reasons/reasons.ts'
import { OrderState } from '../../src/schemas/scalars.ts'

test.each(Object.entries(GENERATED))('%s is what `npm run docs` writes', async (path, page) => {
  expect(await readFile(path, 'utf8')).toBe(await page())
})

describe('the reasons', () => {
  test('name only events of the machine', () => {
    const events = new Set<string>(orderMachine.events)
    for (const [code, { events: named }] of Object.entries(REASONS)) {
      for (const event of named) expect(events.has(event), `${code}: ${event}`).toBe(true)
    }
  })

  test('give a reason for every edge of the chart, and every state', () => {
    const reasons = Object.values(REASONS)
    for (const { event, to } of ORDER_EDGES) {
      // It uses the reason given before.
      if (event === 'RECALL') continue
      const said = reasons.filter(
        ({ states, events }) =>
          states.some((state) => state === to) && events.some((one) => one === event),
      )
      expect(said.length, `${event} to ${to}`).toBeGreaterThan(0)
    }
    const states = new Set(reasons.flatMap(({ states }) => states))
    expect([...states].sort()).toEqual([...OrderState.options].sort())
  })

  test('are snake_case codes with a line of prose', () => {
    for (const [code, { says }] of Object.entries(REASONS)) {
      expect(code).toMatch(/^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/)
      expect(says).toMatch(/^[a-z].+[^.]$/)
    }
  })
})
