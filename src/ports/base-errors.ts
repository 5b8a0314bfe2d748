/** The parts that may be unavailable while the process continues. */
export type Part =
  | 'node'
  | 'block'
  | 'index'
  | 'history'
  | 'store'
  | 'queue'
  | 'feed'
  | 'devnet'
  | 'service'

/** A part gave no usable answer. Nothing was changed, and the same call may succeed later. */
export abstract class UnavailableError extends Error {
  abstract readonly part: Part
  /** Why, by a name from a closed list where the part has one. */
  readonly reason: string

  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = message
  }
}

/** A person must change something before the same call can succeed: the message says what. */
export abstract class OperatorError extends Error {}
