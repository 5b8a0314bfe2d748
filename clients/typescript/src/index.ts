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
export type { ImportedOrder, ImportOptions } from './import-orders.ts'
export type { List } from './list.ts'
export {
  type Content,
  createMarketClient,
  type MarketClient,
  type PostOptions,
} from './market-client.ts'
export type { CallOptions, MarketClientOptions, RetryBounds, Timing } from './requests/options.ts'
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
} from './requests/routes.ts'
export type {
  ChangeStream,
  SnapshotReason,
  StreamItem,
  StreamOptions,
} from './streams/change-stream.ts'
export type { VerifiedOutcome, VerifiedReader, VerifiedValue } from './verified-reader.ts'
