export {
  ApiError,
  BadRequestError,
  ConflictError,
  LateError,
  NotFoundError,
  RateLimitedError,
  ServiceDefectError,
  UnauthorizedError,
  UnavailableError,
  VerificationUnavailableError,
} from './errors/api-errors.ts'
export {
  MarketClientError,
  NetworkError,
  TimeoutError,
  UnexpectedAnswerError,
} from './errors/client-errors.ts'
export type * from './generated/api.ts'
export type { List } from './lists/list.ts'
export {
  type CallOptions,
  createMarketClient,
  type MarketClient,
  type PostOptions,
} from './market-client.ts'
export type { MarketClientOptions, RetryBounds, Timing } from './options.ts'
export type {
  AnswerOf,
  GetPath,
  ItemOf,
  ListPath,
  ParametersOf,
  PostPath,
  QueryOf,
  StatisticName,
  VerifiedPath,
} from './routes.ts'
export type {
  ChangeStream,
  SnapshotReason,
  StreamItem,
  StreamOptions,
} from './streams/change-stream.ts'
export type { VerifiedOutcome, VerifiedReader, VerifiedValue } from './verified/verified-reader.ts'
