import type { Junk } from '../abuse/junk.ts'
import type { SellerCoin } from '../chain/seller-coins.ts'
import { changePsbt, field } from '../orders/psbt-changes.ts'
import { fragments } from './fragments.ts'
import { makeScriptAsk } from './script-asks.ts'

const LEAVES = 128
const KEYS = 20
const QUESTIONS = 10
const ALL = 0x01

/** A leaf that asks for so many choices, and remembers each, before two keys must sign. */
const leafOf = (n: number): string =>
  `${'63516700686b'.repeat(QUESTIONS)}${'6c75'.repeat(QUESTIONS)}${fragments('tapscript').multi(2, [`costly ${n}`, 'unsigned'])}`

/**
 * Bids for one output, paid by an output of 128 leaves, 20 of which a key of its own signed: each
 * leaf could be satisfied in a thousand ways if the other key had signed too.
 */
export function costlyBids({ outpoint, output }: Pick<SellerCoin, 'outpoint' | 'output'>): Junk {
  const { psbt } = makeScriptAsk({
    output: { kind: 'p2tr', leaves: Array.from({ length: LEAVES }, (_, n) => leafOf(n)) },
    signers: Array.from({ length: KEYS }, (_, leaf) => ({
      seed: `costly ${leaf}`,
      leaf,
      sighash: ALL,
    })),
    sighashField: null,
  })
  const script = Buffer.from(output.scriptHex, 'hex')
  const value = Buffer.alloc(8)
  value.writeBigUInt64LE(BigInt(output.valueSats))
  return {
    make: (n) =>
      changePsbt(psbt, ({ transaction, inputs }) => {
        transaction.locktime = n
        for (const out of transaction.outs) Object.assign(out, { value: 5_000n, script })
        transaction.addInput(Buffer.from(outpoint.txid, 'hex').reverse(), outpoint.vout)
        inputs.push([field(0x01, Uint8Array.of(...value, script.length, ...script))])
      }),
  }
}
