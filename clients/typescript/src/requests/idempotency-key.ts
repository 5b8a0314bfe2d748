const BYTES = 16

/** A key of one call: 128 bits of chance, hex. `randomUUID` is missing on pages without TLS. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
