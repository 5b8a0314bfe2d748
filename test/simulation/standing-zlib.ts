type Then = (error: Error | null, bytes: Buffer) => void

/** In place of `node:zlib`: compresses nothing, and answers at once. */
export const deflateRaw = (data: string | Buffer, _options: object, then: Then): void =>
  then(null, Buffer.from(data))

export const inflateRaw = (bytes: Buffer, then: Then): void => then(null, bytes)

export const gzip = deflateRaw
export const brotliCompress = deflateRaw
export const gunzip = inflateRaw
export const brotliDecompress = inflateRaw
/** Of Brotli: names that its parameters are looked up by. */
export const constants = { BROTLI_PARAM_QUALITY: 1 }
