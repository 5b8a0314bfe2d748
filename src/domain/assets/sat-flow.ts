/** Where a sat goes: an output and its offset there, or the miner. */
export type Landing = { kind: 'output'; index: number; offset: bigint } | { kind: 'fee' }

/**
 * Follows one sat through a transaction, first in, first out (ordinal theory): the inputs' sats in
 * order fill the outputs in order, and what is left is the fee. All values in sats.
 *
 * @throws RangeError when the input does not hold the sat
 */
export function landingOf(
  sat: { input: number; offset: bigint },
  inputValues: readonly bigint[],
  outputValues: readonly bigint[],
): Landing {
  const value = inputValues[sat.input]
  if (value === undefined || sat.offset < 0n || sat.offset >= value) {
    throw new RangeError(`input ${sat.input} has no sat ${sat.offset}`)
  }
  let offset = inputValues.slice(0, sat.input).reduce((sum, before) => sum + before, sat.offset)
  for (const [index, room] of outputValues.entries()) {
    if (offset < room) return { kind: 'output', index, offset }
    offset -= room
  }
  return { kind: 'fee' }
}
