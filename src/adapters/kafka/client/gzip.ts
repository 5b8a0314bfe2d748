import { promisify } from 'node:util'
import { gunzip, gunzipSync, gzip, gzipSync } from 'node:zlib'

/**
 * Up to this many bytes, here and now takes 60 µs at most; to hand them to a thread and take the
 * result back takes the event loop 100.
 */
const AT_ONCE_BYTES = 16_384

const gzipLater = promisify(gzip)
const gunzipLater = promisify(gunzip)

/** The gzip of kafkajs, which always uses a thread: most batches are a few records. */
export const gzipCodec = {
  async compress({ buffer }: { buffer: Buffer }): Promise<Buffer> {
    return buffer.length <= AT_ONCE_BYTES ? gzipSync(buffer) : await gzipLater(buffer)
  },
  async decompress(packed: Buffer): Promise<Buffer> {
    return packed.length <= AT_ONCE_BYTES ? gunzipSync(packed) : await gunzipLater(packed)
  },
}
