import { createHash } from 'node:crypto'
import { script as bitcoinScript, crypto } from 'bitcoinjs-lib'
import * as ecc from 'tiny-secp256k1'
import { secretOf } from '../chain/keys.ts'

// Miniscript's fragments as hex (https://bitcoin.sipa.be/miniscript/). A key is named by its seed.

export const preimageOf = (label: string): Uint8Array =>
  Uint8Array.from(createHash('sha256').update(`market/preimage/${label}`).digest())
export const publicKey = (seed: string, isCompressed = true): Uint8Array =>
  ecc.pointFromScalar(secretOf(seed), isCompressed) ?? new Uint8Array()

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const push = (bytes: Uint8Array): string => hex(bitcoinScript.compile([bytes]))
const number = (value: number): string =>
  hex(bitcoinScript.compile([value === 0 ? 0 : bitcoinScript.number.encode(value)]))

/** Fragments over keys of one form: 33 bytes for version 0, 32 for tapscript. */
export function fragments(form: 'witness-v0' | 'tapscript') {
  const key = (seed: string) => publicKey(seed).subarray(form === 'tapscript' ? 1 : 0)
  const pk = (seed: string) => `${push(key(seed))}ac`
  const multi = (required: number, seeds: readonly string[]) =>
    form === 'tapscript'
      ? `${seeds.map((seed, at) => `${push(key(seed))}${at === 0 ? 'ac' : 'ba'}`).join('')}${number(required)}9c`
      : `${number(required)}${seeds.map((seed) => push(key(seed))).join('')}${number(seeds.length)}ae`
  return {
    pk,
    pkh: (seed: string) => `76a9${push(crypto.hash160(key(seed)))}88ac`,
    multi,
    older: (blocks: number) => `${number(blocks)}b2`,
    after: (time: number) => `${number(time)}b1`,
    sha256: (label: string) => `82012088a8${push(crypto.sha256(preimageOf(label)))}87`,
    hash256: (label: string) => `82012088aa${push(crypto.hash256(preimageOf(label)))}87`,
    ripemd160: (label: string) => `82012088a6${push(crypto.ripemd160(preimageOf(label)))}87`,
    hash160: (label: string) => `82012088a9${push(crypto.hash160(preimageOf(label)))}87`,
    /** v: the last opcode in its verifying form where it has one, else OP_VERIFY behind it. */
    v: (fragment: string) => {
      const verifying = { ac: 'ad', ae: 'af', '87': '88', '9c': '9d' }[fragment.slice(-2)]
      return verifying ? fragment.slice(0, -2) + verifying : `${fragment}69`
    },
    and: (first: string, second: string) => first + second,
    orI: (first: string, second: string) => `63${first}67${second}68`,
    orD: (first: string, second: string) => `${first}7364${second}68`,
    andor: (first: string, yes: string, no: string) => `${first}64${no}67${yes}68`,
    thresh: (required: number, [first = '', ...others]: readonly string[]) =>
      `${first}${others.map((one) => `6b${one}6c93`).join('')}${number(required)}87`,
    threshOfKeys: (required: number, [first = '', ...others]: readonly string[]) =>
      `${pk(first)}${others.map((seed) => `7c${pk(seed)}93`).join('')}${number(required)}87`,
  }
}
