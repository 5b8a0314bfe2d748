import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { Outpoint, TxOut } from '../../../src/schemas/scalars.ts'
import { NostrEvent } from '../../../src/schemas/wire/nostr.ts'

const FOLDER = path.resolve(import.meta.dirname, '../../vectors/field')

const Common = { name: z.string(), source: z.string(), what: z.string(), why: z.string() }

const Prevouts = z.array(Outpoint.extend(TxOut.shape))

/** What an inspection must answer; each key is a claim of its own. */
const OfInspection = z
  .strictObject({
    refusedAs: z.string().nullable(),
    state: z.string(),
    orderClass: z.string(),
    signatureStatus: z.string(),
    signatureStatusNot: z.string(),
    problemsInclude: z.array(z.string()),
    problemsExclude: z.array(z.string()),
    /** There is an inspection. */
    psbtReads: z.literal(true),
    /** LIVE only with a problem or a reason. */
    notLiveWithoutProblem: z.literal(true),
    /** There is a problem or a reason. */
    notedOrRefused: z.literal(true),
    /** The height of the node's tip. */
    atTip: z.int(),
  })
  .partial()

const OfProof = z.strictObject({
  status: z.string(),
  reasonSaysWhitespace: z.literal(true).optional(),
})

const Case = z.discriminatedUnion('kind', [
  z.strictObject({
    ...Common,
    kind: z.literal('inspect'),
    input: z.strictObject({ psbt: z.string(), prevouts: Prevouts }),
    expected: OfInspection,
  }),
  z.strictObject({
    ...Common,
    kind: z.literal('event'),
    input: z.strictObject({ event: NostrEvent, prevouts: Prevouts }),
    expected: OfInspection,
  }),
  z.strictObject({
    ...Common,
    kind: z.literal('proof'),
    input: z.strictObject({ address: z.string(), message: z.string(), proof: z.string() }),
    expected: OfProof,
  }),
  z.strictObject({
    ...Common,
    kind: z.literal('runes'),
    input: z.strictObject({ outputScriptsHex: z.array(z.string()) }),
    expected: z.strictObject({ landing: z.unknown() }),
  }),
  z.strictObject({
    ...Common,
    kind: z.literal('json'),
    input: z.strictObject({ jsonTexts: z.array(z.string()) }),
    expected: z.strictObject({ throws: z.literal(true) }),
  }),
  z.strictObject({
    ...Common,
    kind: z.literal('bundle'),
    input: z.strictObject({ prefixHex: z.array(z.string()), encodings: z.array(z.string()) }),
    expected: z.strictObject({ saysEncoding: z.literal(true) }),
  }),
  z.strictObject({
    ...Common,
    kind: z.literal('recipe'),
    input: z.looseObject({ onRealCoreAndOrd: z.literal(true) }),
    expected: z.looseObject({}),
  }),
])
export type FieldCase = z.infer<typeof Case>
export type FieldKind = FieldCase['kind']

const ALL: readonly FieldCase[] = readdirSync(FOLDER)
  .toSorted()
  .map((file) => Case.parse(JSON.parse(readFileSync(path.join(FOLDER, file), 'utf8'))))

/** The cases of test/vectors/field of one kind. */
export const fieldCases = <Kind extends FieldKind>(kind: Kind) =>
  ALL.filter((one): one is Extract<FieldCase, { kind: Kind }> => one.kind === kind)

/** The one case of this name. */
export function fieldCase(name: string): FieldCase {
  const found = ALL.find((one) => one.name === name)
  if (!found) throw new Error(`no case ${name} in test/vectors/field`)
  return found
}

export type InspectedCase = Extract<FieldCase, { kind: 'inspect' | 'event' }>
