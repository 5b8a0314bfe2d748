/** Scripts of pairing transactions, well-formed and nearly so, made byte by byte. */

export const PUSH_FORMS = ['direct', 'pushdata1', 'pushdata2'] as const
export type PushForm = (typeof PUSH_FORMS)[number]

const OP_RETURN = 0x6a
const OP_PUSHDATA1 = 0x4c
const OP_PUSHDATA2 = 0x4d
const OP_PUSHDATA4 = 0x4e

/** The form asked for, or the shortest that can hold the data. */
export function push(form: PushForm, data: Uint8Array): Buffer {
  const { length } = data
  if (form === 'direct' && length < OP_PUSHDATA1) return Buffer.from([length, ...data])
  if (form !== 'pushdata2' && length < 0x100) return Buffer.from([OP_PUSHDATA1, length, ...data])
  return Buffer.concat([Buffer.from([OP_PUSHDATA2, length & 0xff, length >> 8]), data])
}

export const opReturn = (...rest: readonly Uint8Array[]): Buffer =>
  Buffer.concat([Buffer.from([OP_RETURN]), ...rest])

export const markerData = (magic: Uint8Array, opcode: number, body: Uint8Array): Buffer =>
  Buffer.concat([magic, Buffer.from([1, opcode]), body])

export const markerScript = (
  form: PushForm,
  magic: Uint8Array,
  opcode: number,
  body: Uint8Array,
): Buffer => opReturn(push(form, markerData(magic, opcode, body)))

/** Near misses of a marker, made of the data that would make a valid one. */
export const NEAR_MARKERS = {
  'another magic': (data, form) => opReturn(push(form, edited(data, 3, data[3]! ^ 0x20))),
  'version 0': (data, form) => opReturn(push(form, edited(data, 4, 0))),
  'version 2': (data, form) => opReturn(push(form, edited(data, 4, 2))),
  'ends before its opcode': (data, form) => opReturn(push(form, data.subarray(0, 5))),
  'ends before its version': (data, form) => opReturn(push(form, data.subarray(0, 4))),
  'ends within its magic': (data, form) => opReturn(push(form, data.subarray(0, 3))),
  'push cut short': (data, form) => opReturn(push(form, data).subarray(0, -1)),
  'opcode after the push': (data, form) => opReturn(push(form, data), Buffer.from([0x51])),
  'byte 0 after the push': (data, form) => opReturn(push(form, data), Buffer.from([0])),
  'two pushes': (data, form) => opReturn(push(form, data), push(form, data)),
  'an empty push before it': (data, form) => opReturn(Buffer.from([0]), push(form, data)),
  PUSHDATA4: (data) =>
    opReturn(Buffer.from([OP_PUSHDATA4, data.length & 0xff, data.length >> 8, 0, 0]), data),
  'PUSHDATA1 without its length': () => opReturn(Buffer.from([OP_PUSHDATA1])),
  'PUSHDATA2 with half its length': () => opReturn(Buffer.from([OP_PUSHDATA2, 0])),
  'OP_RETURN alone': () => opReturn(),
  'OP_RETURN twice': (data, form) => opReturn(opReturn(push(form, data))),
  'OP_16 instead of a push': (data) => opReturn(Buffer.from([0x60]), data),
  'no OP_RETURN': (data, form) => push(form, data),
  'another opcode for OP_RETURN': (data, form) =>
    Buffer.concat([Buffer.from([0x69]), push(form, data)]),
  'OP_FALSE before it': (data, form) =>
    Buffer.concat([Buffer.from([0]), opReturn(push(form, data))]),
} as const satisfies Record<string, (data: Buffer, form: PushForm) => Buffer>
export type NearMarker = keyof typeof NEAR_MARKERS
export const NEAR_MARKER_NAMES = Object.keys(NEAR_MARKERS) as NearMarker[]

export const p2wsh = (program: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from([0x00, 0x20]), program])

/** Outputs that cannot carry an object, made of 32 bytes; the first four are almost P2WSH. */
export const NOT_P2WSH: readonly ((program: Uint8Array) => Buffer)[] = [
  (program) => Buffer.concat([Buffer.from([0x00, 0x1f]), program.subarray(0, 31)]),
  (program) => Buffer.concat([p2wsh(program), Buffer.from([0])]),
  (program) => p2wsh(program).subarray(0, 33),
  (program) => Buffer.concat([Buffer.from([0x51, 0x20]), program]),
  (program) => Buffer.concat([Buffer.from([0x00, 0x14]), program.subarray(0, 20)]),
  (program) => Buffer.concat([Buffer.from([0x01, 0x20]), program]),
  () => Buffer.alloc(0),
]

function edited(data: Buffer, at: number, byte: number): Buffer {
  const copy = Buffer.from(data)
  copy[at] = byte
  return copy
}
