import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { changeHash, isSealed, sealChange } from '../../../src/domain/order/change-chain.ts'
import { type ChangeRecord, LOG_SCHEMA } from '../../../src/schemas/log.ts'
import { AT, hash, OUTPOINT } from '../../support/orders/evidence.ts'

const change: Omit<ChangeRecord, 'hash'> = {
  schema: LOG_SCHEMA,
  kind: 'transition',
  orderId: hash('order'),
  outpoint: OUTPOINT,
  seq: 1,
  fromState: null,
  toState: 'PENDING_NODE',
  reason: 'awaiting_verification',
  actor: 'import:direct-import',
  observedAt: AT,
  cause: { partition: 0, offset: 3, kind: 'command' },
  evidence: null,
  set: { token: 'é' },
  unset: [],
  prevHash: null,
}

test('the hash is of the RFC 8785 form: keys sorted, no space, UTF-8', () => {
  const text =
    `{"actor":"import:direct-import","cause":{"kind":"command","offset":3,"partition":0},` +
    `"evidence":null,"fromState":null,"kind":"transition","observedAt":"${AT}",` +
    `"orderId":"${hash('order')}","outpoint":"${OUTPOINT}","prevHash":null,` +
    `"reason":"awaiting_verification","schema":1,"seq":1,"set":{"token":"é"},` +
    `"toState":"PENDING_NODE","unset":[]}`
  expect(changeHash(change)).toBe(createHash('sha256').update(text, 'utf8').digest('hex'))
})

test('a sealed change carries the hash of its content, and of no other', () => {
  const sealed = sealChange(change)
  expect(isSealed(sealed)).toBe(true)
  expect(isSealed({ ...sealed, reason: 'verified' })).toBe(false)
  expect(isSealed({ ...sealed, prevHash: hash('another') })).toBe(false)
  expect(isSealed({ ...sealed, hash: hash('another') })).toBe(false)
})
