import { script as bitcoinScript } from 'bitcoinjs-lib'
import fc from 'fast-check'
import { fragments, publicKey } from './fragments.ts'
import { finalByLeaf, makeScriptAsk, type ScriptAsk } from './script-asks.ts'

/** Operands: numbers at the edges of their encodings, and bytes that are no number in shortest form. */
const OPERANDS: readonly string[] = [
  ...[0, 1, 2, 3, 16, 17, -1, -2, 127, 128, 255, 256, -127, -128, 32_767, 32_768, 500, 10].map(
    (number) => hexOf(bitcoinScript.compile([bitcoinScript.number.encode(number)])),
  ),
  hexOf(bitcoinScript.compile([bitcoinScript.number.encode(0x7fffffff)])),
  '0180',
  '020100',
  '050000000001',
  '03ffffff',
]

const tap = fragments('tapscript')
const KEY = hexOf(publicKey('a').subarray(1))
/** The signature lies on the alternative stack: a copy of it. */
const SIGNATURE = '6c766b'
/** Opcodes, each with the number of items that it and its operands leave. */
type Leaving = Readonly<Record<string, number>>
const leaving = (count: number, ...opcodes: string[]): Leaving =>
  Object.fromEntries(opcodes.map((opcode) => [opcode, count]))
const OF_ONE = {
  ...leaving(1, '8b', '8c', '8f', '90', '91', '92', 'b1', 'b2', '61', '73', '6b6c'),
  ...leaving(2, '76', '82', '74', 'a682', 'a782', 'a882', 'a982', 'aa82'),
  ...leaving(0, '69'),
}
const OF_TWO = {
  ...leaving(1, '93', '94', '9a', '9b', '9c', '9e', '9f', 'a0', 'a1', 'a2', 'a3', 'a4', '87', '77'),
  ...leaving(2, '7c'),
  ...leaving(3, '78', '7d'),
  ...leaving(0, '9d', '88'),
}
const OF_SIX = {
  ...leaving(4, 'a5', '6d'),
  ...leaving(6, '7b', '71', '72'),
  ...leaving(8, '70', '6e'),
  ...leaving(9, '6f'),
}
const OF_DEPTH = { ...leaving(4, '79'), ...leaving(3, '7a') }
const OF_NONE = {
  ...leaving(1, '74', `${SIGNATURE}20${KEY}ac`, `0020${KEY}ac`, `${SIGNATURE}5120${KEY}ba`),
  // What is checked behind it was not signed there.
  ...leaving(0, 'ab'),
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

const operand = fc.constantFrom(...OPERANDS)
const operands = (count: number) =>
  fc.tuple(...Array.from({ length: count }, () => operand)).map((all) => all.join(''))
const after = (given: fc.Arbitrary<string>, opcodes: Leaving): fc.Arbitrary<Part> =>
  fc
    .tuple(given, fc.constantFrom(...Object.entries(opcodes)))
    .map(([before, [opcode, leaves]]) => ({ script: before + opcode, leaves }))

/** A part of a script, and how many items it leaves, as a rule. */
interface Part {
  script: string
  leaves: number
}

const part: fc.Arbitrary<Part> = fc.oneof(
  after(operands(1), OF_ONE),
  after(operands(2), OF_TWO),
  after(operands(6), OF_SIX),
  after(
    fc.tuple(operands(3), fc.constantFrom('00', '51', '52', '53', '4f')).map((all) => all.join('')),
    OF_DEPTH,
  ),
  after(fc.constant(''), OF_NONE),
  fc
    .tuple(operands(1), fc.constantFrom('63', '64'), operands(1), operands(1))
    .map(([is, op, one, other]) => ({ script: `${is}${op}${one}67${other}68`, leaves: 1 })),
  operand.map((count) => ({ script: `00${count}20${KEY}ba`, leaves: 1 })),
)

/** A final tapscript of one key and a signature of 64 bytes, of whatever opcodes. */
export const randomTapscript: fc.Arbitrary<ScriptAsk> = fc
  .record({
    parts: fc.array(part, { minLength: 1, maxLength: 4 }),
    sequence: fc.constantFrom(10, 9, 0xfffffffd),
    locktime: fc.constantFrom(0, 500, 127),
    version: fc.constantFrom(1, 2),
    isSeparated: fc.boolean(),
  })
  .map(({ parts, isSeparated, ...terms }) => {
    const left = parts.reduce((sum, { leaves }) => sum + leaves, 0)
    const body = parts.map(({ script }) => script).join('')
    // The signature is checked and kept; of what the parts leave, the last item is the answer.
    const leaf = `${isSeparated ? 'ab' : ''}76${tap.v(tap.pk('a'))}6b${body}${'77'.repeat(Math.max(left - 1, 0))}`
    const output = { kind: 'p2tr', leaves: [leaf] } as const
    const signers = [{ seed: 'a', sighash: 0, ...(isSeparated && { separator: 0 }) }]
    return finalByLeaf(makeScriptAsk({ output, signers, sighashField: null, ...terms }), leaf)
  })
