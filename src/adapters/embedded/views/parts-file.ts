import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { deserialize, serialize } from 'node:v8'
import { crc32 } from 'node:zlib'
import type { IndexPart } from '../../../query-index/columns.ts'

/** Before each part, its length and its checksum, 32 bits each. */
const PREFIX_BYTES = 8
/** Follows all parts. */
const END: IndexPart = ['end', null]

/**
 * One part after another: no more than one is in memory twice. Rejects with the signal's reason, and
 * leaves nothing behind then. It does not wait for the disk: a checksum shows what a crash damaged.
 */
export async function writeParts(
  path: string,
  parts: Iterable<IndexPart>,
  signal: AbortSignal,
): Promise<void> {
  const unfinished = `${path}.new`
  try {
    const file = await open(unfinished, 'w')
    try {
      for (const part of parts) await writePart(file, part, signal)
      await writePart(file, END, signal)
    } finally {
      await file.close()
    }
    await rename(unfinished, path)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
}

async function writePart(file: FileHandle, part: IndexPart, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const bytes = serialize(part)
  const prefix = Buffer.alloc(PREFIX_BYTES)
  prefix.writeUInt32LE(bytes.length, 0)
  prefix.writeUInt32LE(crc32(bytes), 4)
  await file.writeFile(prefix)
  await file.writeFile(bytes)
}

/** Throws if there is no such file, or it is not as it was written. */
export async function readParts(path: string): Promise<Map<string, unknown>> {
  const file = await open(path)
  try {
    const parts = new Map<string, unknown>()
    for (;;) {
      const prefix = await readBytes(file, PREFIX_BYTES)
      const bytes = await readBytes(file, prefix.readUInt32LE(0))
      if (crc32(bytes) !== prefix.readUInt32LE(4)) throw new Error(`${path} is damaged`)
      const [name, value] = deserialize(bytes) as IndexPart
      if (name === END[0]) return parts
      parts.set(name, value)
    }
  } finally {
    await file.close()
  }
}

async function readBytes(file: FileHandle, count: number): Promise<Buffer> {
  const { size } = await file.stat()
  if (count > size) throw new Error('a length beyond the end of the file')
  const bytes = Buffer.alloc(count)
  for (let filled = 0; filled < count; ) {
    const { bytesRead } = await file.read(bytes, filled, count - filled)
    if (bytesRead === 0) throw new Error('the file ends before its end')
    filled += bytesRead
  }
  return bytes
}
