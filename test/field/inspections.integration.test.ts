import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../src/adapters/embedded/system-clock.ts'
import { offerExaminer } from '../../src/authorities/gather-evidence.ts'
import type { OfferExaminer } from '../../src/authorities/offer-examiner.ts'
import { InspectResult } from '../../src/schemas/api/inspection.ts'
import { expectAnswer } from '../support/field/field-answer.ts'
import { fieldCases } from '../support/field/field-cases.ts'
import { fieldAuthorities } from '../support/field/field-node.ts'
import { runsToTrue } from '../support/field/script-machine.ts'
import { openTestApp, type TestApp } from '../support/http/http.ts'
import { sharedSignatures } from '../support/market/shared-signatures.ts'

// What other projects reported, or carry in their tests, as POST /orders/inspect answers it.

let it: TestApp
let examiner: OfferExaminer
beforeAll(async () => {
  it = await openTestApp({
    settings: {
      network: 'mainnet',
      nodeConfigured: true,
      indexConfigured: true,
      // The first one also waits for the thread of the signatures to start.
      verdictWaitMs: 60_000,
    },
    ports: { inspections: { ...none, examine: (...asked) => examiner.examine(...asked) } },
  })
})
afterAll(() => it.close())

const none: OfferExaminer = {
  examine: async () => {
    throw new Error('no case is running')
  },
  examineProof: async () => {
    throw new Error('an inspection asks for everything')
  },
}

test.each([...fieldCases('inspect'), ...fieldCases('event')])('$name: $what', async (one) => {
  examiner = offerExaminer({
    ...fieldAuthorities(one, runsToTrue),
    signatures: sharedSignatures(),
    clock: systemClock,
  })
  const { prevouts: _theirs, ...body } = one.input
  const response = await it.post('/api/market/orders/inspect', body)
  expect(response.statusCode, response.body).toBe(200)
  expectAnswer(InspectResult.parse(response.json()), one)
})
