/**
 * 429 comes from the server around the routes, and 401 from a route for operators: the contracts
 * name neither.
 */
export type MessageStatus = 400 | 401 | 404 | 429

/**
 * A question that a pairing or circle route cannot answer: its message is all the client gets, in
 * body shape 1 of the pairing specification.
 */
export class MessageRefusalError extends Error {
  override name = 'MessageRefusalError'
  readonly statusCode: MessageStatus

  constructor(statusCode: MessageStatus, message: string) {
    super(message)
    this.statusCode = statusCode
  }
}

export const badRequest = (message: string): MessageRefusalError =>
  new MessageRefusalError(400, message)
export const notFound = (message: string): MessageRefusalError =>
  new MessageRefusalError(404, message)

/** The message for a record that does not exist. */
export const absenceOf = (what: string): string => `${what} not found`

export function absent(what: string): never {
  throw notFound(absenceOf(what))
}
