import { expect } from 'vitest'
import type { InspectResult } from '../../../src/schemas/api/inspection.ts'
import type { InspectedCase } from './field-cases.ts'

/** Is the inspection's answer what the case expects? */
export function expectAnswer(answer: InspectResult, { expected }: InspectedCase): void {
  const { refusedAs, state, orderClass, signatureStatus } = expected
  const { inspection, verdict } = answer
  // An unavailable authority would be a reason of its own.
  expect(verdict?.validation.nodeStatus).not.toBe('UNAVAILABLE')
  expect(verdict?.validation.assetStatus).not.toBe('UNAVAILABLE')
  if (refusedAs !== undefined) expect(answer.refusedAs).toBe(refusedAs)
  if (state !== undefined) expect(verdict?.state).toBe(state)
  if (orderClass !== undefined) expect(inspection?.orderClass).toBe(orderClass)
  if (signatureStatus !== undefined) expect(inspection?.signatureStatus).toBe(signatureStatus)
  if (expected.signatureStatusNot !== undefined) {
    expect(inspection?.signatureStatus).not.toBe(expected.signatureStatusNot)
  }
  if (expected.psbtReads) expect(inspection).not.toBeNull()
  const codes = answer.problems.map(({ code }) => code)
  for (const code of expected.problemsInclude ?? []) expect(codes).toContain(code)
  for (const code of expected.problemsExclude ?? []) expect(codes).not.toContain(code)
  const said = [...codes, ...(verdict?.validation.reasons ?? [])]
  if (expected.notLiveWithoutProblem && verdict?.state === 'LIVE') expect(said).not.toEqual([])
  if (expected.notedOrRefused) expect(said).not.toEqual([])
}
