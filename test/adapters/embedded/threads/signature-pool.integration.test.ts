import { readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { afterAll, expect, test } from 'vitest'
import { openSignaturePool } from '../../../../src/adapters/embedded/threads/signature-pool.ts'
import { readMaterial } from '../../../../src/domain/inspection/read-material.ts'
import { readSaleEvent } from '../../../../src/domain/nostr/nostr-event.ts'
import { inspectPsbt } from '../../../../src/domain/verdict/inspect.ts'
import { SCRIPTS, walletOf } from '../../../support/chain/keys.ts'
import { proveOwnership } from '../../../support/orders/ownership-proof.ts'
import { makeAsk } from '../../../support/orders/psbt-orders.ts'
import { saleEvent } from '../../../support/orders/sale-event.ts'

const pool = openSignaturePool({ threads: 2 })
afterAll(() => pool.close())

const question = (options: Parameters<typeof makeAsk>[0] = {}) => {
  const { psbt, prevout } = makeAsk(options)
  return { psbt, inputIndex: 0, prevouts: [prevout] }
}

test('every kind of answer comes back from the threads', async () => {
  const asked = SCRIPTS.map((script) => pool.check(question({ script })))
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([
    'valid',
    'valid',
    'valid',
    'valid',
    'ask-node',
    'ask-node',
  ])
  expect(await pool.check(question({ unsigned: true }))).toEqual({ status: 'none' })
  expect(await pool.check(question({ omitSighashByte: true }))).toEqual({
    status: 'invalid',
    reason: 'sighash_byte_missing_recoverable',
  })
})

test('proofs of ownership are judged on the same threads, among the signatures', async () => {
  const wallet = walletOf('p2wpkh', 'owner')
  const message = 'mine'
  const { text: proof } = proveOwnership(wallet, message)
  const { scriptHex } = wallet
  const asked = Array.from({ length: 20 }, (_, n) => [
    pool.judge({ message, scriptHex, proof }),
    pool.check(question()),
    pool.judge({ message: `${n}`, scriptHex, proof }),
  ])
  expect((await Promise.all(asked.flat())).map(({ status }) => status)).toEqual(
    asked.flatMap(() => ['valid', 'valid', 'invalid']),
  )
})

test('a purchase is read there too, and a refusal is data', async () => {
  expect(await pool.read({ finalTxHex: 'zz' })).toEqual({
    status: 'refused',
    code: 'INVALID_TRANSACTION',
    message: 'the transaction is not lowercase hex',
  })
  expect(await pool.read({ signedPsbt: 'nonsense' })).toMatchObject({ code: 'INVALID_PSBT' })
  expect(await pool.read({ signedPsbt: makeAsk().psbt })).toMatchObject({
    status: 'read',
    transaction: { inputs: [{}], outputs: [{}] },
  })
})

test('an order and an event are read there too, and refusals are data', async () => {
  const { psbt } = makeAsk()
  expect(await pool.inspect(psbt)).toEqual({ status: 'read', inspected: inspectPsbt(psbt) })
  expect(await pool.inspect('nonsense')).toMatchObject({ status: 'refused', code: 'INVALID_PSBT' })
  const event = saleEvent(psbt, [['s', '777']])
  expect(await pool.readSale({ event, network: 'regtest' })).toEqual({
    status: 'read',
    sale: readSaleEvent(event, 'regtest'),
  })
  const forged = { ...event, content: 'another' }
  expect(await pool.readSale({ event: forged, network: 'regtest' })).toEqual({
    status: 'refused',
    code: 'INVALID_EVENT',
    message: 'the id of the event is not the hash of what it says',
    isForged: true,
  })
  expect(await pool.readSale({ event: null, network: 'regtest' })).toMatchObject({
    isForged: false,
  })
})

test('what an inspection was sent is read there too', async () => {
  const { psbt } = makeAsk({ omitSighashByte: true })
  for (const request of [{ psbt }, { psbt: 'nonsense' }, { event: saleEvent(psbt, []) }]) {
    const question = { request, network: 'regtest' } as const
    expect(await pool.readMaterial(question)).toEqual(readMaterial(question))
  }
})

test.runIf(process.platform === 'linux')('the threads yield to the event loop', async () => {
  await pool.check(question())
  const lower = readdirSync('/proc/self/task').filter((id) => nicenessOf(id) >= getPriority() + 5)
  expect(lower.length).toBeGreaterThanOrEqual(2)
  expect(nicenessOf(String(process.pid))).toBe(getPriority())
})

/** Of a thread of this process: proc(5), the 19th field; the name before it may contain spaces. */
function nicenessOf(id: string): number {
  const line = readFileSync(`/proc/self/task/${id}/stat`, 'utf8')
  return Number(line.slice(line.lastIndexOf(')') + 2).split(' ')[16])
}

test('a question without an order rejects, and the threads survive', async () => {
  await expect(pool.check({ ...question(), psbt: 'nonsense' })).rejects.toThrow('not a PSBT')
  expect(await pool.check(question())).toEqual({ status: 'valid' })
})

test('many at once, each its own answer, while the event loop keeps running', async () => {
  const good = question()
  const bad = { ...good, prevouts: [{ ...good.prevouts[0]!, valueSats: '1' }] }
  let longestGap = 0
  const begun = performance.now()
  let last = begun
  const beat = setInterval(() => {
    const now = performance.now()
    longestGap = Math.max(longestGap, now - last)
    last = now
  }, 5)
  const answers = await Promise.all(
    Array.from({ length: 600 }, (_, n) => pool.check(n % 3 === 0 ? bad : good)),
  )
  clearInterval(beat)
  const wholeMs = performance.now() - begun
  expect(answers.map(({ status }) => status)).toEqual(
    Array.from({ length: 600 }, (_, n) => (n % 3 === 0 ? 'invalid' : 'valid')),
  )
  // Checked on this thread they would be one gap.
  expect(longestGap).toBeLessThan(wholeMs / 2)
})
