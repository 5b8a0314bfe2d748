/** The bytes are not a PSBT that an order can be read from; the message is the exact reason. */
export class PsbtRefusedError extends Error {
  override name = 'PsbtRefusedError'
  readonly code: 'INVALID_PSBT' | 'PSBT_TOO_LARGE'

  constructor(code: PsbtRefusedError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

export const invalidPsbt = (message: string, cause?: unknown): PsbtRefusedError =>
  new PsbtRefusedError('INVALID_PSBT', message, cause === undefined ? undefined : { cause })

export const psbtTooLarge = (message: string): PsbtRefusedError =>
  new PsbtRefusedError('PSBT_TOO_LARGE', message)

const LONGEST_REASON = 200

/**
 * Runs a parser of a PSBT, or of what is read as one.
 *
 * @throws PsbtRefusedError instead of the parser's own error, with its message
 */
export function accepted<T>(parse: () => T, name: 'PSBT' | 'transaction' = 'PSBT'): T {
  try {
    return parse()
  } catch (error) {
    if (error instanceof PsbtRefusedError) throw error
    throw invalidPsbt(`the ${name} is not valid: ${reasonOf(error)}`, error)
  }
}

/** The part of the message that can be shown: it may quote the bytes. */
const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error))
    .replace(/^Reader\(\S*\): /, '')
    .replace(/[^\x20-\x7e]+/g, ' ')
    .slice(0, LONGEST_REASON)
