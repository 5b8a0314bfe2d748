import { isUtf8 } from 'node:buffer'

/** Byte order marks, the longest first: that of UTF-32LE begins as that of UTF-16LE. */
const MARKS: readonly (readonly [encoding: string, mark: readonly number[]])[] = [
  ['UTF-32LE', [0xff, 0xfe, 0x00, 0x00]],
  ['UTF-32BE', [0x00, 0x00, 0xfe, 0xff]],
  ['UTF-8', [0xef, 0xbb, 0xbf]],
  ['UTF-16LE', [0xff, 0xfe]],
  ['UTF-16BE', [0xfe, 0xff]],
]
const CURE = 'a bundle is UTF-8 without a byte order mark: save it again as that'

/**
 * Why the bytes of a file cannot be a bundle, by their encoding alone; null if they may be one. A
 * shell or an editor may have written the same text in another encoding.
 */
export function encodingFault(bytes: Uint8Array): string | null {
  const [marked] = MARKS.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte)) ?? []
  if (marked !== undefined) {
    return `not a bundle: the file begins with a byte order mark, of ${marked}; ${CURE}`
  }
  const [first, second] = bytes
  // JSON begins with a character of ASCII.
  if (first === 0 || second === 0) {
    const encoding = first === 0 ? 'UTF-16BE' : 'UTF-16LE'
    return `not a bundle: the file looks like ${encoding}; ${CURE}`
  }
  return isUtf8(bytes) ? null : `not a bundle: the file is not UTF-8; ${CURE}`
}
