/** The parts that may be unavailable while the process continues. */
export type Part = 'node' | 'block' | 'index' | 'history' | 'store' | 'feed' | 'devnet' | 'service'

/** A part that this process uses and does not contain. */
export type OutsidePart = 'kafka' | 'redis' | 'history' | 'node' | 'index'

const OUTSIDE: Partial<Record<Part, OutsidePart>> = {
  node: 'node',
  block: 'node',
  index: 'index',
  history: 'history',
}

/** A part gave no usable answer. Nothing was changed, and the same call may succeed later. */
export abstract class UnavailableError extends Error {
  abstract readonly part: Part
  /** Why, by a name from a closed list where the part has one. */
  readonly reason: string

  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = message
  }

  /** The part outside of this process that gave no answer; null: none, or it is not known which. */
  get outsidePart(): OutsidePart | null {
    return OUTSIDE[this.part] ?? UnavailableError.outsidePartOf(this.cause)
  }

  /** The outside part that any error names. */
  static outsidePartOf(error: unknown): OutsidePart | null {
    return error instanceof UnavailableError ? error.outsidePart : null
  }
}

/** A person must change something before the same call can succeed: the message says what. */
export abstract class OperatorError extends Error {}
