import { afterEach, expect, test, vi } from 'vitest'
import { scriptOfAddress } from '../../../src/domain/script/address.ts'
import { market } from '../../src/api/market.ts'
import { spendToSelf } from '../../src/sell/spend-to-self.ts'
import { connectWallet } from '../../src/wallet/connection.ts'
import { badRequest } from '../bad-request.ts'
import { fakeWallet } from './fake-wallets.ts'
import { keyOf } from './keys.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const assets = keyOf(1, 'p2tr')
const payments = keyOf(2, 'p2wpkh')
const SPENT = { txid: 'aa'.repeat(32), vout: 0 }
const LARGE = { txid: 'bb'.repeat(32), vout: 1 }
const outpoint = `${SPENT.txid}:0`

const refused = (...messages: string[]) => badRequest('SELF_SPEND_REFUSED', ...messages)

/** The service refuses what names no outputs that pay, and finds these safe. */
async function spendBeside(safe: readonly object[], refusal: Error) {
  const connection = await connectWallet(fakeWallet('xverse', [assets, payments]).port, 'regtest')
  const scriptHex = scriptOfAddress(assets.address, 'regtest')
  vi.spyOn(market, 'get').mockImplementation((async (path: string) =>
    path.includes('/addresses/')
      ? {
          outputs: safe.map((of, at) => ({
            outpoint: of,
            output: { valueSats: `${at + 1}0000` },
            safe: true,
          })),
        }
      : { output: { output: { scriptHex } } }) as never)
  const asked = vi.spyOn(market, 'post').mockImplementation((async (
    _path: string,
    { body }: { body: { fundingUtxos?: object[] } },
  ) => {
    if (!body.fundingUtxos) throw refusal
    return body
  }) as never)
  return { spend: spendToSelf(outpoint, connection), asked }
}

test('a fee that would lose what is sold is paid by the largest other output of the wallet', async () => {
  const { spend } = await spendBeside(
    [LARGE, SPENT],
    refused('name fundingUtxos, so that it keeps'),
  )
  expect(await spend).toEqual({
    destinationAddress: assets.address,
    fundingUtxos: [LARGE],
    changeAddress: payments.address,
  })
})

test('a wallet with no other output is told what it lacks', async () => {
  const { spend } = await spendBeside([SPENT], refused('name fundingUtxos, so that it keeps'))
  await expect(spend).rejects.toThrow(`no other at ${payments.address} is safe to pay with`)
})

test('any other refusal is shown, and nothing else is asked', async () => {
  const { spend, asked } = await spendBeside([LARGE], refused('it is unconfirmed'))
  await expect(spend).rejects.toThrow('it is unconfirmed')
  expect(asked).toHaveBeenCalledTimes(1)
})

test.each([
  ['SPENT', 'nothing that was signed for it is left to end'],
  ['UNKNOWN', 'finds neither the output nor a spend of it'],
])('of an output that is %s it is said, and its owner is not looked for', async (status, why) => {
  const connection = await connectWallet(fakeWallet('xverse', [assets, payments]).port, 'regtest')
  vi.spyOn(market, 'get').mockResolvedValue({ output: { status, output: null } } as never)
  await expect(spendToSelf(outpoint, connection)).rejects.toThrow(why)
})
