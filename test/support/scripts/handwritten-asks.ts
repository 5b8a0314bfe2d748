import { script as bitcoinScript, crypto } from 'bitcoinjs-lib'
import { preimageOf, publicKey } from './fragments.ts'
import { makeScriptAsk, type ScriptAsk, type ScriptAskOptions } from './script-asks.ts'

// Scripts that are no miniscript, as protocols write them: they look at an item of the witness again.

const OPCODES: Readonly<Record<string, number | string>> = { ...bitcoinScript.OPS }

/** Opcodes by their names without `OP_`; data is `<key a>`, `<hash of key a>`, `<hash s>`, `<60>`. */
const assemble = (text: string): string =>
  Buffer.from(
    bitcoinScript.compile((text.match(/<[^>]+>|\S+/g) ?? []).map((part) => partOf(part))),
  ).toString('hex')

function partOf(part: string): number | Uint8Array {
  const [, kind, seed = ''] = /^<(key|hash of key|hash|)\s?(\w+)>$/.exec(part) ?? []
  if (kind === 'key') return publicKey(seed)
  if (kind === 'hash of key') return crypto.hash160(publicKey(seed))
  if (kind === 'hash') return crypto.hash160(preimageOf(seed))
  if (kind === '') return bitcoinScript.number.encode(Number(seed))
  const opcode = OPCODES[`OP_${part}`]
  if (typeof opcode !== 'number') throw new Error(`no opcode ${part}`)
  return opcode
}

const BOLT3 =
  'DUP HASH160 <hash of key revoked> EQUAL IF CHECKSIG ELSE <key remote> SWAP SIZE <32> EQUAL'
/** https://github.com/lightning/bolts/blob/master/03-transactions.md */
const OFFERED = `${BOLT3} NOTIF DROP 2 SWAP <key local> 2 CHECKMULTISIG ELSE HASH160 <hash s> EQUALVERIFY CHECKSIG ENDIF ENDIF`
const RECEIVED = `${BOLT3} IF HASH160 <hash s> EQUALVERIFY 2 SWAP <key local> 2 CHECKMULTISIG ELSE DROP <60> CHECKLOCKTIMEVERIFY DROP CHECKSIG ENDIF ENDIF`
/** Swaps of Lightning Loop and of Boltz. */
const LOOP =
  'SIZE <32> EQUAL IF HASH160 <hash s> EQUALVERIFY <key a> ELSE DROP <60> CHECKLOCKTIMEVERIFY DROP <key b> ENDIF CHECKSIG'
const BOLTZ =
  'HASH160 <hash s> EQUAL IF <key a> ELSE <60> CHECKLOCKTIMEVERIFY DROP <key b> ENDIF CHECKSIG'
const SELECTED =
  'DUP 1 EQUAL IF DROP <key a> ELSE DUP 2 EQUAL IF DROP <key b> ELSE 3 EQUALVERIFY <key c> ENDIF ENDIF CHECKSIG'
const COUNTED = 'DUP NOT IF DROP <key a> ELSE 2 EQUALVERIFY <key b> ENDIF CHECKSIG'
const EITHER =
  'DUP HASH160 <hash t> EQUAL SWAP HASH160 <hash s> EQUAL BOOLOR VERIFY <key a> CHECKSIG'
const LATER = 'HASH160 <key a> SWAP <hash s> EQUALVERIFY CHECKSIG'

const KNOWN: Partial<ScriptAskOptions> = { preimages: { hash160: ['s'] } }
const LATE: Partial<ScriptAskOptions> = { locktime: 60 }

interface HandwrittenCase {
  name: string
  script: string
  signers: readonly [string, ...string[]]
  options?: Partial<ScriptAskOptions>
}

/** Each is satisfied by exactly these signers and preimages. */
const CASES: readonly HandwrittenCase[] = [
  { name: 'BOLT 3, offered: preimage', script: OFFERED, signers: ['remote'], options: KNOWN },
  { name: 'BOLT 3, offered: time-out', script: OFFERED, signers: ['remote', 'local'] },
  { name: 'BOLT 3, offered: revoked', script: OFFERED, signers: ['revoked'] },
  {
    name: 'BOLT 3, received: preimage',
    script: RECEIVED,
    signers: ['remote', 'local'],
    options: KNOWN,
  },
  { name: 'BOLT 3, received: time-out', script: RECEIVED, signers: ['remote'], options: LATE },
  { name: 'BOLT 3, received: revoked', script: RECEIVED, signers: ['revoked'] },
  { name: 'Loop: preimage', script: LOOP, signers: ['a'], options: KNOWN },
  { name: 'Loop: time-out', script: LOOP, signers: ['b'], options: LATE },
  { name: 'Boltz: preimage', script: BOLTZ, signers: ['a'], options: KNOWN },
  { name: 'Boltz: time-out', script: BOLTZ, signers: ['b'], options: LATE },
  { name: 'a key selected by 1', script: SELECTED, signers: ['a'] },
  { name: 'a key selected by 2', script: SELECTED, signers: ['b'] },
  { name: 'a key selected by 3', script: SELECTED, signers: ['c'] },
  { name: 'a key selected by zero', script: COUNTED, signers: ['a'] },
  { name: 'a key selected by another number', script: COUNTED, signers: ['b'] },
  { name: 'the preimage of either of two hashes', script: EITHER, signers: ['a'], options: KNOWN },
  { name: 'a hash that is compared behind a key', script: LATER, signers: ['a'], options: KNOWN },
]

/** Asks that a choice of their signatures, preimages and constants completes; and without one of the keys. */
export const handwrittenAsks = (
  kind: 'p2wsh' | 'p2sh-p2wsh',
): { name: string; good: ScriptAsk; bad: ScriptAsk }[] =>
  CASES.map(({ name, script, signers: [first, ...others], options }) => {
    const output = { kind, script: assemble(script) }
    const madeBy = (...seeds: (string | undefined)[]): ScriptAsk =>
      makeScriptAsk({
        output,
        signers: seeds.flatMap((seed) => seed ?? []).map((seed) => ({ seed })),
        ...options,
      })
    return { name, good: madeBy(first, ...others), bad: madeBy('stranger', ...others) }
  })
