import { afterAll, expect, test } from 'vitest'
import { openSignaturePool } from '../../../../src/adapters/embedded/threads/signature-pool.ts'
import { SCRIPTS, walletOf } from '../../../support/chain/keys.ts'
import { proveOwnership } from '../../../support/orders/ownership-proof.ts'
import { makeAsk } from '../../../support/orders/psbt-orders.ts'

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

test('a purchase is read there too, and what it is refused for is data', async () => {
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

test('a question that no order was made from rejects, and the threads live on', async () => {
  await expect(pool.check({ ...question(), psbt: 'nonsense' })).rejects.toThrow('not a PSBT')
  expect(await pool.check(question())).toEqual({ status: 'valid' })
})

test('many at once, each its own answer, while the event loop goes on', async () => {
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
