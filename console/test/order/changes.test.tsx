import { expect, test } from 'vitest'
import { ChangeList } from '../../src/order/change-list.tsx'
import { HOSTILE, MARKUP } from '../hostile.ts'
import { shown } from '../shown.tsx'

const ID = 'a'.repeat(64)
const EVIDENCE = {
  answeredAt: '2026-01-20T00:00:00.000Z',
  mempoolSequence: 77,
  node: {
    status: 'ready',
    tip: { height: 128, hash: 'e'.repeat(64) },
    output: { status: 'unspent' },
    signatures: [{ status: 'VALID', by: 'node' }],
  },
  index: { status: 'ready', at: { height: 128, version: 'ord 0.29' }, inscriptions: [{}] },
}
const LIVE = {
  seq: 2,
  kind: 'transition',
  fromState: 'PENDING_NODE',
  state: 'LIVE',
  reason: 'verified',
  actor: 'reconciler',
  cause: 'import',
  observedAt: '2026-01-20T00:00:00.000Z',
  spendTxid: null,
  spendHeight: null,
  evidence: EVIDENCE,
}
const SOLD = {
  ...LIVE,
  ...{ seq: 3, fromState: 'LIVE', state: 'SETTLED', reason: 'settled', actor: 'chain' },
  ...{ cause: null, spendTxid: 'f'.repeat(64), spendHeight: 133, evidence: null },
}
const changes = async (...versions: object[]) => changesOf({ id: ID }, ...versions)
const changesOf = async (order: { id: string; side?: 'BID' }, ...versions: object[]) => {
  const known = [['versions', ID], { versions, isWithheld: false, isCut: false }] as const
  const page = await shown(<ChangeList order={order} />, [known])
  return [...page.querySelectorAll('.changes > li')]
}

test('each change says who made it, what caused it, and what node and index answered', async () => {
  const [sold, live] = await changes(SOLD, LIVE)
  expect(live?.textContent).toContain('waiting for the node → live')
  expect(live?.textContent).toContain('change 2, by reconciler, caused by import')
  const facts = [...(live?.querySelectorAll('details dt') ?? [])]
  const evidence = new Map(
    facts.map((one) => [one.textContent, one.nextElementSibling?.textContent]),
  )
  expect(evidence.get('Node')).toMatch(/^output unspent, block 128 e+…e+$/)
  expect(evidence.get('Mempool')).toBe('sequence 77')
  expect(evidence.get('Signatures')).toBe('valid by the node')
  expect(evidence.get('Index')).toBe('block 128, ord 0.29: 1 inscriptions')
  expect(sold?.textContent).toMatch(/live → settled.*by chain.*spent in block 133 by f+…f+$/s)
  expect(sold?.querySelector('details')).toBeNull()
})

test.each(HOSTILE)('a cause of %j is text', async (cause) => {
  const [change] = await changes({ ...LIVE, cause, evidence: null })
  expect(change?.textContent).toContain(`caused by ${cause}`)
  expect(change?.querySelector(MARKUP)).toBeNull()
})

test('the reasons of a bid speak of the output that it wants', async () => {
  const [change] = await changesOf({ id: ID, side: 'BID' }, { ...SOLD, reason: 'settled' })
  expect(change?.textContent).toContain('spends the wanted output')
  expect(change?.textContent).not.toContain('offered')
})
