const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** The same ECDSA signature, DER with its sighash byte, with the other S: good for consensus alone. */
export function highS(signature: Uint8Array): Uint8Array {
  const rLength = signature[3]!
  const s = signature.slice(6 + rLength, -1)
  const high = (ORDER - BigInt(`0x${Buffer.from(s).toString('hex')}`)).toString(16)
  const bytes = Buffer.from(`00${high.padStart(64, '0')}`, 'hex')
  const body = Buffer.concat([signature.slice(2, 4 + rLength), Buffer.of(2, 33), bytes])
  return Uint8Array.of(0x30, body.length, ...body, signature.at(-1)!)
}
