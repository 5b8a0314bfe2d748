import { describe, expect, test } from 'vitest'
import { objectionTo } from '../../../src/actors/order/objection-to-withdrawal.ts'
import { encodedBytes, proofBytes } from '../../../src/domain/limits.ts'
import { proofsHere } from '../../../src/operator/audit/proofs-here.ts'
import {
  ChangeRecord,
  LOG_SCHEMA,
  type WithdrawalProof,
  WithdrawCommand,
} from '../../../src/schemas/log.ts'
import { SCRIPTS, walletOf } from '../../support/chain/keys.ts'
import { toOutpointText } from '../../support/ids.ts'
import { watermark } from '../../support/log/watermarks.ts'
import { importOf, replayOf, WorkerHost } from '../../support/log/worker-host.ts'
import { AT, askClaim, BUYER, evidenceOf, hash, OUTPOINT } from '../../support/orders/evidence.ts'
import { ORDER_ID, orderOf } from '../../support/orders/orders.ts'
import { proveOwnership } from '../../support/orders/ownership-proof.ts'
import { sellersProof } from '../../support/orders/withdrawals.ts'

// Who can write the inbox is no seller for that (docs/adr/0106-a-withdrawal-keeps-its-proof.md).

const common = {
  schema: LOG_SCHEMA,
  kind: 'command',
  command: 'withdraw',
  orderId: ORDER_ID,
  outpoint: OUTPOINT,
  at: AT,
} as const
const bySeller = (proof: WithdrawalProof, requestId = 'w') =>
  ({ ...common, requestId, by: 'seller', proof }) as const
const own = sellersProof({ orderId: ORDER_ID, outpoint: OUTPOINT })

async function liveHost(): Promise<WorkerHost> {
  const host = new WorkerHost()
  await host.tell([watermark(0), importOf(askClaim(), 'import')])
  await host.answerAll(() => evidenceOf())
  expect(host.order()).toMatchObject({ state: 'LIVE' })
  return host
}

test('a withdrawal with its proof is applied, and its change keeps the proof', async () => {
  const host = await liveHost()
  await host.tell([bySeller(own)])
  expect(host.outcomeOf('w')).toMatchObject({ status: 'done' })
  expect(host.order()).toMatchObject({ state: 'WITHDRAWN', reason: 'withdrawn_by_seller' })
  const change = ChangeRecord.parse(host.changes.at(-1))
  expect(change).toMatchObject({ actor: 'seller', proof: own })
  expect(change).not.toHaveProperty('operator')
  expect(proofBytes(change)).toBe(encodedBytes(own))
  expect(host.order()).not.toHaveProperty('proof')
})

const later = (ms: number): string => new Date(Date.parse(AT) + ms).toISOString()

describe('a withdrawal is refused, and leaves the order as it is,', () => {
  test.each<[string, WithdrawalProof, string]>([
    ['unsigned', { ...own, signature: 'AA==' }, 'it is not signed'],
    [
      'signed for another order',
      sellersProof({ orderId: hash('other'), outpoint: OUTPOINT }),
      'challenge of',
    ],
    [
      'signed for another output',
      sellersProof({ orderId: ORDER_ID, outpoint: toOutpointText(`${hash('other')}:0`) }),
      'its message is not a challenge of this order',
    ],
    [
      'of somebody else',
      sellersProof({ orderId: ORDER_ID, outpoint: OUTPOINT, scriptHex: BUYER }),
      'its address is not that of the offered output',
    ],
    ['with a word more', { ...own, message: `${own.message}\nand more` }, 'challenge of'],
    ['after its time', { ...own, provedAt: later(600_000) }, 'had expired, or had not begun'],
    ['before its time', { ...own, provedAt: later(-600_000) }, 'had expired, or had not begun'],
    [
      'of a challenge without an end',
      { ...own, message: own.message.replace(/expiresAt: .*/, 'expiresAt: never') },
      'had expired, or had not begun',
    ],
  ])('%s', async (_, proof, why) => {
    const host = await liveHost()
    const { length } = host.changes
    await host.tell([bySeller(proof)])
    expect(host.outcomeOf('w')).toMatchObject({ status: 'refused', code: 'INVALID_PROOF' })
    expect(host.outcomeOf('w')).toHaveProperty('message', expect.stringContaining(why))
    expect(host.changes).toHaveLength(length)
    expect(host.order()).toMatchObject({ state: 'LIVE' })
    expect((await replayOf(host, 1)).lifecycle).toEqual(host.lifecycle)
  })

  test('before the script of its output is known', async () => {
    const host = new WorkerHost()
    await host.tell([watermark(0), importOf(askClaim(), 'import'), bySeller(own)])
    expect(host.outcomeOf('w')).toMatchObject({ code: 'INVALID_PROOF' })
  })
})

test('without a proof, or by an operator without a name, it is a dead letter', async () => {
  const host = await liveHost()
  const { proof: _, ...unproved } = bySeller(own)
  await host.tell([unproved, { ...common, requestId: 'w', by: 'operator' }])
  expect(host.dead.map(({ reason }) => reason)).toEqual([
    expect.stringContaining('unreadable'),
    expect.stringContaining('unreadable'),
  ])
  expect(host.order()).toMatchObject({ state: 'LIVE' })
})

test('one of an operator has a name, and no proof', async () => {
  const host = await liveHost()
  await host.tell([{ ...common, requestId: 'w', by: 'operator', operator: 'mia' }])
  expect(host.changes.at(-1)).toMatchObject({ actor: 'operator', operator: 'mia' })
  expect(host.changes.at(-1)).not.toHaveProperty('proof')
})

test('again with a proof it is answered and logs nothing; with none it is refused', async () => {
  const host = await liveHost()
  await host.tell([bySeller(own)])
  const { length } = host.changes
  await host.tell([bySeller(own, 'again'), bySeller({ ...own, signature: 'AA==' }, 'forged')])
  expect(host.outcomeOf('again')).toMatchObject({ status: 'done' })
  expect(host.outcomeOf('forged')).toMatchObject({ code: 'INVALID_PROOF' })
  expect(host.changes).toHaveLength(length)
})

test('a replay decides the same, in batches of any size', async () => {
  const host = await liveHost()
  await host.tell([bySeller({ ...own, signature: 'AA==' }, 'forged'), bySeller(own)])
  for (const batch of [1, 2, 200])
    expect((await replayOf(host, batch)).lifecycle).toEqual(host.lifecycle)
})

test('where no proof can be judged the step is taken again: that is no refusal', async () => {
  const host = await liveHost()
  const { proofs } = host
  host.die()
  host.proofs = { judge: () => Promise.reject(new Error('the thread is gone')) }
  await expect(host.tell([bySeller(own)])).rejects.toThrow('the thread is gone')
  expect(host.outcomeOf('w')).toBeUndefined()
  host.die()
  host.proofs = proofs
  await host.run()
  expect(host.outcomeOf('w')).toMatchObject({ status: 'done' })
})

describe('a signature', () => {
  test.each(SCRIPTS)('of a %s output is the key’s of that output', async (script) => {
    const wallet = walletOf(script, 'seller')
    const { scriptHex } = wallet
    const order = orderOf({ sellerScriptHex: scriptHex })
    const proofBy = (signer: typeof wallet) => {
      const sign = (message: string) => proveOwnership(signer, message).text
      return sellersProof({ orderId: order.id, outpoint: order.outpoint, scriptHex, sign })
    }
    const objection = (proof: WithdrawalProof) =>
      objectionTo(order, WithdrawCommand.parse(bySeller(proof)), proofsHere)
    expect(await objection(proofBy(wallet))).toBeNull()
    expect(await objection({ ...proofBy(wallet), signature: 'AA==' })).not.toBeNull()
    if (script !== 'tapscript' && script !== 'p2wsh-other')
      expect(await objection(proofBy(walletOf(script, 'stranger')))).not.toBeNull()
  })
})
