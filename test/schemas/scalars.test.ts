import { expect, expectTypeOf, test } from 'vitest'
import { outpointText, parseOutpoint } from '../../src/domain/chain/outpoint.ts'
import { OrderId, OutpointText } from '../../src/schemas/scalars.ts'

const HASH = 'ab'.repeat(32)

test('an id is text of its own type, and the text is unchanged', () => {
  const id = OrderId.parse(HASH)
  const outpoint = OutpointText.parse(`${HASH}:4294967295`)
  expect([id, outpoint]).toEqual([HASH, `${HASH}:4294967295`])
  expect(outpointText(parseOutpoint(outpoint))).toBe(outpoint)

  expectTypeOf(id).toExtend<string>()
  expectTypeOf(outpoint).toExtend<string>()
  expectTypeOf<string>().not.toExtend<OrderId>()
  expectTypeOf<string>().not.toExtend<OutpointText>()
  expectTypeOf<OutpointText>().not.toExtend<OrderId>()
  expectTypeOf<OrderId>().not.toExtend<OutpointText>()
})
