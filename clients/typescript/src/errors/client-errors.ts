/** Every error that this client makes. An aborted call rejects with the reason of its signal instead. */
export abstract class MarketClientError extends Error {}

/**
 * No answer: the service cannot be reached, or the connection broke. In a browser also: the page's
 * origin is not allowed.
 */
export class NetworkError extends MarketClientError {
  override name = 'NetworkError'
}

/** No whole answer in time: a bound of the client's own. Whether the request took effect is not known. */
export class TimeoutError extends MarketClientError {
  override name = 'TimeoutError'
}

/** No answer of the service's: a proxy's page, JSON that is cut, a list that does not advance. */
export class UnexpectedAnswerError extends MarketClientError {
  override name = 'UnexpectedAnswerError'
}
