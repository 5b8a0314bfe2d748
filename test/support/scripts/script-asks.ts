import { crypto, Transaction } from 'bitcoinjs-lib'
import { tapleafHash, tapTweakHash } from 'bitcoinjs-lib/src/payments/bip341'
import * as ecc from 'tiny-secp256k1'
import type { Pair } from '../../../src/domain/psbt/key-value-maps.ts'
import { writePsbtMaps } from '../../../src/domain/psbt/psbt-maps.ts'
import { witnessBytes } from '../../../src/domain/verdict/node-question.ts'
import type { TxOut } from '../../../src/schemas/scalars.ts'
import { secretOf } from '../chain/keys.ts'
import { changePsbt, field } from '../orders/psbt-changes.ts'
import { preimageOf, publicKey } from './fragments.ts'

/** An output of scripts given as hex. */
export type ScriptOutput =
  | { kind: 'p2wsh' | 'p2sh-p2wsh' | 'p2sh' | 'bare'; script: string }
  | { kind: 'p2tr'; leaves: readonly string[]; internal?: string; leafVersion?: number }

export interface ScriptSigner {
  seed: string
  sighash?: number
  /** The leaf that it signs; null: the output key. */
  leaf?: number | null
  isCompressed?: boolean
  /** The signature does not verify. */
  isBroken?: boolean
  /** The OP_CODESEPARATOR of the leaf that it signs behind, by its place among the instructions. */
  separator?: number
}

export interface ScriptAskOptions {
  output: ScriptOutput
  signers: readonly ScriptSigner[]
  /** Labels of preimages, by the hash of their field. */
  preimages?: Partial<Record<'ripemd160' | 'sha256' | 'hash160' | 'hash256', string[]>>
  /** Keys that the PSBT names without a signature, by seed. */
  named?: readonly string[]
  version?: number
  locktime?: number
  sequence?: number
  sighashField?: number | null
}

export interface ScriptAsk {
  psbt: string
  prevout: TxOut
}

const SATS = 10_000n
const OTHER_KEY = '50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0'
const PREIMAGE_FIELDS = { ripemd160: 0x0a, sha256: 0x0b, hash160: 0x0c, hash256: 0x0d } as const
const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'))

/** An ask of one input and one output, with exactly these signatures. No library finalises it. */
export function makeScriptAsk(options: ScriptAskOptions): ScriptAsk {
  const { output, signers, version = 2, locktime = 0, sequence = 0xfffffffd } = options
  const spent = spentOutput(output)
  const before = new Transaction()
  before.version = 2
  before.addInput(new Uint8Array(32).fill(7), 0)
  before.addOutput(spent.script, SATS)
  const transaction = new Transaction()
  transaction.version = version
  transaction.locktime = locktime
  transaction.addInput(before.getHash(), 0, sequence)
  transaction.addOutput(bytes(`0014${'22'.repeat(20)}`), 50_000n)
  const isLegacy = output.kind === 'p2sh' || output.kind === 'bare'
  const value = Buffer.alloc(8)
  value.writeBigUInt64LE(SATS)
  const utxo = isLegacy
    ? field(0x00, before.toBuffer())
    : field(0x01, Uint8Array.of(...value, spent.script.length, ...spent.script))
  const fieldSighash = options.sighashField === undefined ? 0x83 : options.sighashField
  const sighash = fieldSighash === null ? [] : [field(0x03, Uint8Array.of(fieldSighash, 0, 0, 0))]
  const preimages = Object.entries(options.preimages ?? {}).flatMap(([hash, labels]) =>
    labels.map((label) => preimageField(hash as keyof typeof PREIMAGE_FIELDS, label)),
  )
  const named = (options.named ?? []).map((seed) =>
    output.kind === 'p2tr'
      ? field(0x16, new Uint8Array(5), publicKey(seed).subarray(1))
      : field(0x06, new Uint8Array(4), publicKey(seed)),
  )
  const map = [
    utxo,
    ...signers.map((signer) => signatureField(signer, output, spent, transaction)),
    ...sighash,
    ...spent.fields,
    ...preimages,
    ...named,
  ]
  const maps = {
    global: [field(0x00, transaction.toBuffer())],
    inputs: [map.toSorted((one, other) => Buffer.compare(one.key, other.key))],
    outputs: [[]],
  }
  return {
    psbt: Buffer.from(writePsbtMaps(maps)).toString('base64'),
    prevout: { valueSats: SATS.toString(), scriptHex: Buffer.from(spent.script).toString('hex') },
  }
}

function preimageField(hash: keyof typeof PREIMAGE_FIELDS, label: string): Pair {
  const preimage = preimageOf(label)
  return field(PREIMAGE_FIELDS[hash], preimage, crypto[hash](preimage))
}

interface SpentOutput {
  script: Uint8Array
  fields: Pair[]
  tweak: Uint8Array | null
}

function spentOutput(output: ScriptOutput): SpentOutput {
  if (output.kind === 'p2tr') return taprootOutput(output)
  const script = bytes(output.script)
  const program = Uint8Array.of(0x00, 0x20, ...crypto.sha256(script))
  const nested = (redeem: Uint8Array) => Uint8Array.of(0xa9, 20, ...crypto.hash160(redeem), 0x87)
  switch (output.kind) {
    case 'p2wsh':
      return { script: program, fields: [field(0x05, script)], tweak: null }
    case 'p2sh-p2wsh': {
      const fields = [field(0x04, program), field(0x05, script)]
      return { script: nested(program), fields, tweak: null }
    }
    case 'p2sh':
      return { script: nested(script), fields: [field(0x04, script)], tweak: null }
    case 'bare':
      return { script, fields: [], tweak: null }
  }
}

function taprootOutput({
  leaves,
  internal,
  leafVersion: version = 0xc0,
}: Extract<ScriptOutput, { kind: 'p2tr' }>): SpentOutput {
  const key = internal === undefined ? bytes(OTHER_KEY) : publicKey(internal).subarray(1)
  const scripts = leaves.map((leaf) => ({ output: bytes(leaf), version }))
  const paths = pathsOf(scripts.map((leaf) => tapleafHash(leaf)))
  const tweak = tapTweakHash(key, paths.root)
  const tweaked = ecc.xOnlyPointAddTweak(key, tweak)
  if (!tweaked) throw new Error('no such key')
  const fields = scripts.map((leaf, at) => {
    const control = Uint8Array.of(
      version | tweaked.parity,
      ...key,
      ...(paths.of[at] ?? []).flatMap((node) => [...node]),
    )
    return field(0x15, Uint8Array.of(...leaf.output, version), control)
  })
  const script = Uint8Array.of(0x51, 32, ...tweaked.xOnlyPubkey)
  return { script, fields: [...fields, field(0x17, key)], tweak }
}

/** A chain of leaves: the first is deepest. */
function pathsOf(hashes: readonly Uint8Array[]) {
  const half = (
    list: readonly { hash: Uint8Array; at: number }[],
  ): { root: Uint8Array; of: Map<number, Uint8Array[]> } => {
    const [only] = list
    if (list.length === 1 && only) return { root: only.hash, of: new Map([[only.at, []]]) }
    const middle = Math.ceil(list.length / 2)
    const [left, right] = [half(list.slice(0, middle)), half(list.slice(middle))]
    for (const path of left.of.values()) path.push(right.root)
    for (const path of right.of.values()) path.push(left.root)
    const [first, second] = [left.root, right.root].toSorted((a, b) => Buffer.compare(a, b))
    const root = crypto.taggedHash('TapBranch', Buffer.concat([first!, second!]))
    return { root, of: new Map([...left.of, ...right.of]) }
  }
  if (hashes.length === 0) return { root: undefined, of: [] as Uint8Array[][] }
  const { root, of } = half(hashes.map((hash, at) => ({ hash, at })))
  return { root, of: hashes.map((_, at) => of.get(at) ?? []) }
}

function signatureField(
  {
    seed,
    sighash = 0x83,
    leaf = 0,
    isCompressed = true,
    isBroken = false,
    separator,
  }: ScriptSigner,
  output: ScriptOutput,
  { script: prevout, tweak }: SpentOutput,
  transaction: Transaction,
): Pair {
  const broken = (compact: Uint8Array) =>
    isBroken ? compact.with(40, (compact[40] ?? 0) ^ 1) : compact
  const secret = secretOf(seed)
  if (output.kind !== 'p2tr') {
    const code = bytes(output.script)
    const isWitness = output.kind === 'p2wsh' || output.kind === 'p2sh-p2wsh'
    const digest = isWitness
      ? transaction.hashForWitnessV0(0, code, SATS, sighash)
      : transaction.hashForSignature(0, code, sighash)
    const der = derOf(broken(ecc.sign(digest, secret)))
    return field(0x02, Uint8Array.of(...der, sighash), publicKey(seed, isCompressed))
  }
  const leafHash =
    leaf === null
      ? undefined
      : tapleafHash({
          output: bytes(output.leaves[leaf] ?? ''),
          version: output.leafVersion ?? 0xc0,
        })
  const digest =
    leafHash && separator !== undefined
      ? separatedDigest(transaction, prevout, sighash, { leafHash, separator })
      : transaction.hashForWitnessV1(0, [prevout], [SATS], sighash, leafHash)
  const own = leafHash ? secret : tweakedSecret(secret, tweak)
  const compact = broken(ecc.signSchnorr(digest, own))
  const signature = sighash === 0 ? compact : Uint8Array.of(...compact, sighash)
  return leafHash
    ? field(0x14, signature, Uint8Array.of(...publicKey(seed).subarray(1), ...leafHash))
    : field(0x13, signature)
}

/** BIP341's message of SIGHASH_SINGLE|ANYONECANPAY or DEFAULT of one input and output, with BIP342's end. */
function separatedDigest(
  transaction: Transaction,
  prevout: Uint8Array,
  sighash: number,
  { leafHash, separator }: { leafHash: Uint8Array; separator: number },
): Uint8Array {
  const [input] = transaction.ins
  const [output] = transaction.outs
  if (!input || !output) throw new Error('one input and one output')
  const numbered = (value: number) => {
    const four = Buffer.alloc(4)
    four.writeUInt32LE(value)
    return four
  }
  const sats = (value: bigint) => {
    const eight = Buffer.alloc(8)
    eight.writeBigUInt64LE(value)
    return eight
  }
  const sized = (script: Uint8Array) => Buffer.from([script.length, ...script])
  const outpoint = Buffer.concat([input.hash, numbered(input.index)])
  const paid = crypto.sha256(Buffer.concat([sats(output.value), sized(output.script)]))
  const version = numbered(transaction.version)
  const head = [Buffer.from([0, sighash]), version, numbered(transaction.locktime)]
  const sequence = numbered(input.sequence)
  const all = [outpoint, sats(SATS), sized(prevout), sequence].map((part) => crypto.sha256(part))
  const body =
    sighash === 0
      ? [...all, paid, Buffer.from([2]), numbered(0)]
      : [Buffer.from([2]), outpoint, sats(SATS), sized(prevout), sequence, paid]
  const end = [leafHash, Buffer.from([0]), numbered(separator)]
  return crypto.taggedHash('TapSighash', Buffer.concat([...head, ...body, ...end]))
}

function tweakedSecret(secret: Uint8Array, tweak: Uint8Array | null): Uint8Array {
  const isOdd = (ecc.pointFromScalar(secret, true)?.[0] ?? 0) === 3
  const even = isOdd ? ecc.privateNegate(secret) : secret
  return (tweak && ecc.privateAdd(even, tweak)) ?? even
}

/** Strict DER of a compact signature (BIP66). */
function derOf(compact: Uint8Array): Uint8Array {
  const integer = (part: Uint8Array) => {
    const first = part.findIndex((byte) => byte !== 0)
    const short = part.subarray(Math.max(first, 0))
    const body = (short[0] ?? 0) & 0x80 ? Uint8Array.of(0, ...short) : short
    return Uint8Array.of(0x02, body.length, ...body)
  }
  const body = [...integer(compact.subarray(0, 32)), ...integer(compact.subarray(32))]
  return Uint8Array.of(0x30, body.length, ...body)
}

/** The ask with the final witness of a leaf: its one signature, the leaf, the control block. */
export function finalByLeaf(ask: ScriptAsk, leaf: string): ScriptAsk {
  const psbt = changePsbt(ask.psbt, ({ inputs }) => {
    const map = inputs[0] ?? []
    const signature = map.find(({ type }) => type === 0x14)?.value ?? new Uint8Array()
    const control = map.find(({ type }) => type === 0x15)?.key.subarray(1) ?? new Uint8Array()
    const items = [signature, Buffer.from(leaf, 'hex'), control]
    inputs[0] = [...map.filter(({ type }) => type < 0x02), field(0x08, witnessBytes(items))]
  })
  return { ...ask, psbt }
}
