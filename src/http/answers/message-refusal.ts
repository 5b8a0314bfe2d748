/**
 * A request that a route which answers in messages refuses: its message is all the client gets, in
 * body shape 1 of the pairing specification. 404: there is no such route; 429 comes from the server
 * around the routes, as does 503 while the keys of customers are not read, and 401 from a route for
 * operators: the contracts name none of them.
 */
export class MessageRefusalError extends Error {
  override name = 'MessageRefusalError'
  readonly statusCode: 401 | 404 | 429 | 503

  constructor(statusCode: 401 | 404 | 429 | 503, message: string) {
    super(message)
    this.statusCode = statusCode
  }
}
