/**
 * A question that a pairing or circle route cannot answer: its message is the whole of what the
 * client is told, in body shape 1 of the pairing specification.
 */
export class MessageRefusal extends Error {
  override name = 'MessageRefusal'
  readonly statusCode: 400 | 404

  constructor(statusCode: 400 | 404, message: string) {
    super(message)
    this.statusCode = statusCode
  }
}

export const badRequest = (message: string): MessageRefusal => new MessageRefusal(400, message)
export const notFound = (message: string): MessageRefusal => new MessageRefusal(404, message)

/** What is said of a record that is not there. */
export const absenceOf = (what: string): string => `${what} not found`

export function absent(what: string): never {
  throw notFound(absenceOf(what))
}
