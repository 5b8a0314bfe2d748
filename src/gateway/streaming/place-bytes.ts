import { z } from 'zod'
import type { ReaderPlace } from '../../streams/activity/recent-changes.ts'

/** Digits of a log's id in a place: enough to tell two logs of one operator apart. */
export const LOG_LETTERS = 8
/** Offsets are less than 2^48. */
const MAX_WIDTH = 6
const HEADER_BYTES = 1 + LOG_LETTERS + MAX_WIDTH

/** A place, and the first letters of its log's id. */
export interface LetteredPlace {
  letters: string
  place: ReaderPlace
}

/**
 * width ‖ letters ‖ lowest offset ‖ the offset of each partition above it, of `width` bytes each.
 * Orders are spread evenly over the partitions, so their offsets differ little.
 */
export function packPlace({ letters, place }: LetteredPlace): Buffer {
  const lowest = Math.min(...place)
  const width = widthOf(Math.max(...place) - lowest)
  const bytes = Buffer.alloc(HEADER_BYTES + place.length * width)
  bytes.writeUInt8(width)
  bytes.write(letters, 1, LOG_LETTERS, 'latin1')
  bytes.writeUIntBE(lowest, 1 + LOG_LETTERS, MAX_WIDTH)
  for (const [partition, next] of place.entries())
    bytes.writeUIntBE(next - lowest, HEADER_BYTES + partition * width, width)
  return bytes
}

/** A signed place, packed or as JSON: a width is never the code of a bracket. */
export function readPlace(bytes: Buffer): LetteredPlace {
  const width = bytes.readUInt8()
  if (width > MAX_WIDTH) {
    const [letters, ...place] = ListedPlace.parse(JSON.parse(bytes.toString()))
    return { letters, place }
  }
  const lowest = bytes.readUIntBE(1 + LOG_LETTERS, MAX_WIDTH)
  const partitions = (bytes.length - HEADER_BYTES) / width
  return {
    letters: bytes.toString('latin1', 1, 1 + LOG_LETTERS),
    place: Array.from(
      { length: partitions },
      (_, partition) => lowest + bytes.readUIntBE(HEADER_BYTES + partition * width, width),
    ),
  }
}

/** The bytes that hold a number. */
function widthOf(number: number): number {
  let width = 1
  while (number >= 256 ** width) width += 1
  return width
}

const ListedPlace = z.tuple([z.string()], z.int().nonnegative())
