/** A parameter of a question to a fold is invalid: the message is one that its contract names. */
export class InvalidQuestionError extends Error {
  override name = 'InvalidQuestionError'
}

/** The fold has no such record. */
export class AbsentRecordError extends Error {
  override name = 'AbsentRecordError'

  /** @param what the kind of record, as its contract names it */
  constructor(what: string) {
    super(AbsentRecordError.messageFor(what))
  }

  static messageFor(what: string): string {
    return `${what} not found`
  }

  /** For the right side of `??`. */
  static throwFor(what: string): never {
    throw new AbsentRecordError(what)
  }
}
