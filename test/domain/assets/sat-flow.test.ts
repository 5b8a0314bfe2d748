import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { landingOf } from '../../../src/domain/assets/sat-flow.ts'

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 2_000)

/** Every sat by name, moved from the inputs to the outputs one at a time. */
function naively(inputs: readonly number[], outputs: readonly number[]): Map<string, string> {
  const sats = inputs.flatMap((value, input) =>
    Array.from({ length: value }, (_, offset) => `${input}:${offset}`),
  )
  const landed = new Map<string, string>()
  outputs.forEach((value, output) => {
    for (let offset = 0; offset < value; offset += 1) {
      const sat = sats.shift()
      if (sat !== undefined) landed.set(sat, `${output}:${offset}`)
    }
  })
  for (const sat of sats) landed.set(sat, 'fee')
  return landed
}

describe('sats move first in, first out', () => {
  test('as in a simulation of each sat', () => {
    const values = fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(values, values, (inputs, outputs) => {
        for (const [sat, place] of naively(inputs, outputs)) {
          const [input, offset] = sat.split(':').map(Number) as [number, number]
          const landing = landingOf(
            { input, offset: BigInt(offset) },
            inputs.map(BigInt),
            outputs.map(BigInt),
          )
          const text = landing.kind === 'fee' ? 'fee' : `${landing.index}:${landing.offset}`
          expect(text).toBe(place)
        }
      }),
      { numRuns: RUNS },
    )
  })

  test('one padding puts the asset in the middle of an output (openordex#2)', () => {
    expect(landingOf({ input: 1, offset: 0n }, [1_000n, 546n, 9_000n], [1_546n, 5_000n])).toEqual({
      kind: 'output',
      index: 0,
      offset: 1_000n,
    })
  })

  test('a sat beyond the input’s value has no destination', () => {
    expect(() => landingOf({ input: 0, offset: 5n }, [5n], [5n])).toThrow(RangeError)
    expect(() => landingOf({ input: 1, offset: 0n }, [5n], [5n])).toThrow(RangeError)
  })
})
