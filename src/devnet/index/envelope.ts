import type { Transaction } from 'bitcoinjs-lib'
import {
  type Instruction,
  instructionsOf,
  isEmptyPush,
  valuePushed,
} from '../../domain/script/script-instructions.ts'

/** An inscription as a reveal carries it, with what ord reads to number and to place it. */
export interface Envelope {
  input: number
  /** How many envelopes precede it in the same script. */
  offset: number
  /** Tag 2: the sat within the outputs; null when absent or not a number. */
  pointer: bigint | null
  /** Has a tag that ord must understand and does not: that makes it unbound. */
  unrecognizedEvenField: boolean
  /** Encoded, apart from its position, in a way that ord counted as a curse before the jubilee. */
  malformed: boolean
  content: EnvelopeContent
}

/** What an inscription shows. */
export interface EnvelopeContent {
  /** Tag 1, as text; empty when absent. */
  mediaType: string
  /** Tag 9, as text; empty when absent. */
  coding: string
  /** Null: it has no body, which is not the same as an empty one. */
  body: Uint8Array | null
}

const ANNEX_TAG = 0x50
const OP_IF = 0x63
const OP_ENDIF = 0x68
const PROTOCOL = Buffer.from('ord')
const MEDIA_TYPE_TAG = '01'
const POINTER_TAG = '02'
const CODING_TAG = '09'
/** The payload of an envelope, not yet parsed as tags and values. */
interface RawEnvelope {
  payload: Uint8Array[]
  pushnum: boolean
  stutter: boolean
}

/** Every inscription that a transaction reveals, by input and position (ord `ParsedEnvelope`). */
export function envelopesOf({ ins }: Transaction): Envelope[] {
  return ins.flatMap(({ witness }, input) => {
    const instructions = instructionsOf(tapscriptOf(witness) ?? new Uint8Array())
    return (instructions ? rawEnvelopes(instructions) : []).map((raw, offset) =>
      parse(raw, input, offset),
    )
  })
}

/** The second-to-last element, not counting the annex: ord does not check what is spent. */
function tapscriptOf(witness: readonly Uint8Array[]): Uint8Array | undefined {
  const annex = witness.length >= 2 && witness.at(-1)?.[0] === ANNEX_TAG
  return witness.at(annex ? -3 : -2)
}

function rawEnvelopes(instructions: readonly Instruction[]): RawEnvelope[] {
  const found: RawEnvelope[] = []
  let stuttered = false
  let at = 0
  while (at < instructions.length) {
    if (!isEmptyPush(instructions[at++])) continue
    const opened = opens(instructions, at)
    if (typeof opened === 'number') {
      at = opened
      stuttered = isEmptyPush(instructions[at])
      continue
    }
    const { envelope, next } = payloadOf(instructions, opened.payload, stuttered)
    at = next
    if (envelope) found.push(envelope)
    else stuttered = false
  }
  return found
}

/** After an empty push: where the payload begins, or where reading continues. */
function opens(instructions: readonly Instruction[], at: number): number | { payload: number } {
  const condition = instructions[at]
  if (!condition || !('opcode' in condition) || condition.opcode !== OP_IF) return at
  const protocol = instructions[at + 1]
  if (!protocol || !('push' in protocol) || !PROTOCOL.equals(protocol.push)) return at + 1
  return { payload: at + 2 }
}

function payloadOf(
  instructions: readonly Instruction[],
  from: number,
  stutter: boolean,
): { envelope: RawEnvelope | null; next: number } {
  const payload: Uint8Array[] = []
  let pushnum = false
  for (let at = from; at < instructions.length; at++) {
    const instruction = instructions[at]
    if (!instruction) break
    if ('opcode' in instruction && instruction.opcode === OP_ENDIF)
      return { envelope: { payload, pushnum, stutter }, next: at + 1 }
    const value = valuePushed(instruction)
    if (value === null) return { envelope: null, next: at + 1 }
    pushnum ||= 'opcode' in instruction
    payload.push(value)
  }
  return { envelope: null, next: instructions.length }
}

function parse(
  { payload, pushnum, stutter }: RawEnvelope,
  input: number,
  offset: number,
): Envelope {
  const body = payload.findIndex((push, index) => index % 2 === 0 && push.length === 0)
  const header = body === -1 ? payload : payload.slice(0, body)
  const fields = new Map<string, Uint8Array[]>()
  for (let at = 0; at + 1 < header.length; at += 2) {
    const tag = Buffer.from(header[at] ?? []).toString('hex')
    fields.set(tag, [...(fields.get(tag) ?? []), header[at + 1] ?? new Uint8Array()])
  }
  const duplicate = [...fields.values()].some(({ length }) => length > 1)
  const incomplete = header.length % 2 === 1
  const pointer = fields.get(POINTER_TAG)
  const textOf = (tag: string): string => Buffer.from(fields.get(tag)?.[0] ?? []).toString('utf8')
  const unrecognizedEvenField = [...fields].some(
    ([tag, values]) =>
      Number.parseInt(tag.slice(0, 2), 16) % 2 === 0 &&
      !(tag === POINTER_TAG && values.length === 1),
  )
  return {
    input,
    offset,
    pointer: pointerOf(pointer?.[0]),
    unrecognizedEvenField,
    malformed:
      unrecognizedEvenField ||
      duplicate ||
      incomplete ||
      pushnum ||
      stutter ||
      pointer !== undefined,
    content: {
      mediaType: textOf(MEDIA_TYPE_TAG),
      coding: textOf(CODING_TAG),
      body: body === -1 ? null : Buffer.concat(payload.slice(body + 1)),
    },
  }
}

/** Little-endian; bytes after the eighth must be zero. */
function pointerOf(value: Uint8Array | undefined): bigint | null {
  if (!value || value.subarray(8).some((byte) => byte !== 0)) return null
  const bytes = Buffer.alloc(8)
  bytes.set(value.subarray(0, 8))
  return bytes.readBigUInt64LE()
}
