import { type FileHandle, open, rename } from 'node:fs/promises'
import { deserialize, serialize } from 'node:v8'

/** A part of an index: a value that `node:v8` can serialise. */
export type IndexPart = [name: string, value: unknown]

const LENGTH_BYTES = 4

/** On disk when it resolves. One part after another: no more than one is in memory twice. */
export async function writeParts(path: string, parts: Iterable<IndexPart>): Promise<void> {
  const unfinished = `${path}.new`
  const file = await open(unfinished, 'w')
  try {
    for (const part of parts) {
      const bytes = serialize(part)
      const length = Buffer.alloc(LENGTH_BYTES)
      length.writeUInt32LE(bytes.length)
      await file.writeFile(length)
      await file.writeFile(bytes)
    }
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(unfinished, path)
}

/** Throws if there is no such file, or it is not as it was written. */
export async function readParts(path: string): Promise<Map<string, unknown>> {
  const file = await open(path)
  try {
    const parts = new Map<string, unknown>()
    for (;;) {
      const length = await readBytes(file, LENGTH_BYTES)
      if (length.length === 0) return parts
      const [name, value] = deserialize(await readBytes(file, length.readUInt32LE())) as IndexPart
      parts.set(name, value)
    }
  } finally {
    await file.close()
  }
}

/** Fewer at the end of the file. */
async function readBytes(file: FileHandle, count: number): Promise<Buffer> {
  const bytes = Buffer.alloc(count)
  let filled = 0
  while (filled < count) {
    const { bytesRead } = await file.read(bytes, filled, count - filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes.subarray(0, filled)
}
