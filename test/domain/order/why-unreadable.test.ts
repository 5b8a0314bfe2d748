import { expect, test } from 'vitest'
import { whyUnreadable } from '../../../src/domain/order/why-unreadable.ts'
import { InboxRecord, LOG_SCHEMA } from '../../../src/schemas/log.ts'

const why = (value: unknown): string => {
  const { error } = InboxRecord.safeParse(value)
  if (!error) throw new Error('it is a record')
  return whyUnreadable(value)
}
const outpoint = `${'ab'.repeat(32)}:0`
const output = {
  schema: LOG_SCHEMA,
  kind: 'output',
  change: 'seen',
  outpoint,
  block: null,
  at: '2026-01-01T00:00:00.000Z',
}

test.each([
  ['poison', 'it is not an object'],
  [null, 'it is not an object'],
  [{ unreadable: 'not JSON', begins: '{' }, 'not JSON'],
  [{}, 'this release reads schema 1, and its schema is missing'],
  [{ ...output, schema: 2 }, 'this release reads schema 1, and its schema is 2'],
  [
    { ...output, schema: 'x'.repeat(5_000) },
    /^this release reads schema 1, and its schema is "x{152}$/,
  ],
  [{ schema: LOG_SCHEMA, kind: 'gossip' }, 'its kind is not one of the inbox'],
  [{ schema: LOG_SCHEMA }, 'its kind is not one of the inbox'],
  [{ ...output, outpoint: 'here' }, /^outpoint: /],
  [{ ...output, change: 'eaten' }, /^change: /],
  [
    { schema: LOG_SCHEMA, kind: 'command', command: 'import', requestId: 'r', outpoint },
    /^orderId: /,
  ],
  [{ schema: LOG_SCHEMA, kind: 'command', command: 'dance' }, /^command: /],
  [{ ...output, more: 1 }, /more/],
])('record %# is explained', (value, words) => {
  if (typeof words === 'string') expect(why(value)).toBe(words)
  else expect(why(value)).toMatch(words)
})
