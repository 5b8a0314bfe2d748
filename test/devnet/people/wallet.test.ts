import { expect, test } from 'vitest'
import { accountOf, type WalletScriptType } from '../../../src/devnet/people/wallet.ts'
import { toTxid } from '../../support/ids.ts'

const TYPES: WalletScriptType[] = ['p2tr', 'p2wpkh', 'p2sh-p2wpkh', 'p2wsh-multisig']

test.each(TYPES)('an account of %s signs the same ask in the same bytes', (type) => {
  const asked = () => {
    const { scriptHex, ask } = accountOf('alice', type)
    const outpoint = { txid: toTxid('11'.repeat(32)), vout: 0 }
    return ask({ outpoint, scriptHex, valueSats: '10000' }, { scriptHex, valueSats: '50000' })
  }
  expect(asked()).toBe(asked())
})
