import { afterEach, expect, test, vi } from 'vitest'
import { market } from '../../src/api/market.ts'
import { connectWallet } from '../../src/wallet/connection.ts'
import { moneyOf, sellableOf } from '../../src/wallet/own-outputs.ts'
import { fakeWallet, type WalletName } from './fake-wallets.ts'
import { keyOf } from './keys.ts'

afterEach(() => void vi.restoreAllMocks())

const PAYS = keyOf(2, 'p2wpkh')
const outputs = [
  {
    outpoint: { txid: 'aa'.repeat(32), vout: 0 },
    output: { valueSats: '546' },
    safe: false,
    troubles: [{ code: 'holds_inscription', subject: 'i0', message: 'it holds i0' }],
  },
]
const connected = async (name: WalletName, mood = {}) =>
  connectWallet(fakeWallet(name, [keyOf(1, 'p2tr'), PAYS], mood).port, 'regtest')

test.each([
  [1, false],
  [120, true],
])('of %i outputs of an address one was looked at: there are more is %s', async (total, isCut) => {
  const connection = await connected('leather')
  vi.spyOn(market, 'get').mockResolvedValue({ outputs, total } as never)
  const found = await sellableOf(connection)
  expect(found).toMatchObject({ own: [{ inscriptionId: 'i0' }], isCut })
  const trouble = isCut
    ? `Of 120 outputs at ${PAYS.address}, 1 were looked at: none of them is safe to pay with.`
    : `The wallet has no output at ${PAYS.address} that is safe to pay with`
  await expect(moneyOf(connection)).rejects.toThrow(trouble)
})

test.each([
  [99, 0, false],
  [100, 0, true],
  [99, 1, true],
])(
  'a wallet that names %i inscriptions and %i unread may hold more: %s',
  async (read, unread, isCut) => {
    const named = Array.from({ length: read }, (_, vout) => ({
      inscriptionId: `${'aa'.repeat(32)}i${vout}`,
      output: `${'aa'.repeat(32)}:${vout}`,
    }))
    const holds = [...named, ...Array.from({ length: unread }, () => ({ output: null }))] as never
    const connection = await connected('xverse', { holds })
    vi.spyOn(market, 'post').mockResolvedValue({ outputs } as never)
    expect((await sellableOf(connection)).isCut).toBe(isCut)
  },
)

test.each([
  [
    { inscriptionNumber: -3, contentType: 'image/png' },
    { number: -3, contentType: 'image/png' },
  ],
  [{ inscriptionNumber: 7.5, contentType: '<b>' }, {}],
  [{ inscriptionNumber: '7', contentType: 5 }, {}],
])('what a wallet says beside an id, %j, is kept where it looks like it', async (said, kept) => {
  const holds = [{ inscriptionId: 'i0', output: `${'aa'.repeat(32)}:0`, ...said }]
  const connection = await connected('xverse', { holds })
  vi.spyOn(market, 'post').mockResolvedValue({ outputs } as never)
  const [one] = (await sellableOf(connection)).own
  const { inscriptionId, outpoint, valueSats, address, ...labels } = one ?? {}
  expect(inscriptionId).toBe('i0')
  expect(labels).toEqual(kept)
})
