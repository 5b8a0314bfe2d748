import type { z } from 'zod'
import { ImportRequest } from '../../schemas/api/api.ts'
import { BatchLine } from '../../schemas/api/batch.ts'
import { Catalog, ProtocolTemplate } from '../../schemas/api/catalog.ts'
import {
  Circle,
  CircleSnapshot,
  CircleState,
  Edge,
  Lineage,
  Member,
  Shard,
} from '../../schemas/api/circles.ts'
import { ErrorResponse } from '../../schemas/api/errors.ts'
import {
  HealthReport,
  ListingReadiness,
  ProbeReport,
  ReadinessReport,
} from '../../schemas/api/health.ts'
import {
  InspectedVerdict,
  InspectionProblem,
  InspectRequest,
  InspectResult,
  ProblemPlace,
  PurchaseFlow,
} from '../../schemas/api/inspection.ts'
import { BuildAskRequest, BuildAskResult, PublishAskRequest } from '../../schemas/api/listing.ts'
import {
  InternalError,
  MessageResponse,
  VerificationUnavailable,
} from '../../schemas/api/message-errors.ts'
import {
  CheckedOutput,
  CheckOutputsRequest,
  OutputsChecked,
  OutputTrouble,
} from '../../schemas/api/outputs/check.ts'
import {
  Authorisation,
  ExposedOutput,
  Exposure,
  LowestPrice,
  NotBefore,
  PaidBid,
  Takeable,
} from '../../schemas/api/outputs/exposure.ts'
import { AddressOutputs } from '../../schemas/api/outputs/owned.ts'
import { PaddingsRequest, TransactionPlan } from '../../schemas/api/outputs/paddings.ts'
import { SelfSpend, SelfSpendRequest } from '../../schemas/api/outputs/self-spend.ts'
import { OwnershipChallenge, OwnershipProof } from '../../schemas/api/ownership.ts'
import {
  AddressCarriers,
  AgreementEnvelope,
  CheckpointTuple,
  PairingCarrier,
  PairingEvent,
  PairingObject,
  PairingProof,
  PairingTransaction,
  ReadinessSnapshot,
  SearchResult,
  SearchResults,
  VerifiedAgreement,
} from '../../schemas/api/pairing.ts'
import { ProtocolContract } from '../../schemas/api/protocol.ts'
import {
  FeeEstimates,
  PreflightRequest,
  PreflightResult,
  Quote,
  QuoteRequest,
} from '../../schemas/api/purchase.ts'
import {
  StreamChange,
  StreamEnd,
  StreamHeartbeat,
  StreamSnapshot,
} from '../../schemas/api/stream.ts'
import {
  BundledChange,
  BundledOrder,
  DisputeBundle,
  TransactionProof,
  WithheldChange,
} from '../../schemas/dispute/bundle.ts'
import { OrderVersion, OrderVersionPage } from '../../schemas/dispute/order-version.ts'
import {
  Evidence,
  IndexEvidence,
  NodeEvidence,
  OutputEvidence,
  Spend,
} from '../../schemas/evidence.ts'
import { ChangeRecord } from '../../schemas/log.ts'
import {
  ActivityEntry,
  ActivityPage,
  AssetClaim,
  Notice,
  OrderArtifact,
  OrderFacets,
  OrderPage,
  OrderSummary,
  PsbtInspection,
  Settlement,
  SourceEvidence,
  Validation,
  VerificationView,
  Withdrawal,
} from '../../schemas/order.ts'
import { IndexProof, Offer, OfferClaim } from '../../schemas/order-record.ts'
import {
  Actionability,
  BlockRef,
  Network,
  OrderClass,
  OrderState,
  Outpoint,
  Safety,
  SignatureStatus,
  Source,
  TxOut,
} from '../../schemas/scalars.ts'
import { NostrEnvelope, NostrEvent } from '../../schemas/wire/nostr.ts'
import { type JsonSchema, NamedSchemas } from './json-schemas.ts'

/** Schemas of answers, by the names of the specification. */
const ANSWERS = {
  Actionability,
  ActivityEntry,
  ActivityPage,
  AddressCarriers,
  AgreementEnvelope,
  AssetClaim,
  Authorisation,
  BatchLine,
  BlockRef,
  BuildAskResult,
  BundledChange,
  BundledOrder,
  Catalog,
  CheckedOutput,
  ChangeRecord,
  CheckpointTuple,
  Circle,
  CircleSnapshot,
  CircleState,
  DisputeBundle,
  Edge,
  ErrorResponse,
  ExposedOutput,
  Exposure,
  Evidence,
  HealthReport,
  IndexEvidence,
  IndexProof,
  InspectedVerdict,
  InspectionProblem,
  InspectResult,
  InternalError,
  Lineage,
  ListingReadiness,
  LowestPrice,
  Member,
  MessageResponse,
  Network,
  NodeEvidence,
  NostrEnvelope,
  NotBefore,
  Notice,
  Offer,
  OfferClaim,
  OrderArtifact,
  OrderClass,
  OrderFacets,
  OrderPage,
  OrderState,
  OrderSummary,
  OrderVersion,
  OrderVersionPage,
  Outpoint,
  AddressOutputs,
  OutputsChecked,
  OutputTrouble,
  OutputEvidence,
  OwnershipChallenge,
  PaidBid,
  PairingCarrier,
  PairingEvent,
  PairingObject,
  PairingProof,
  PairingTransaction,
  PreflightResult,
  ProbeReport,
  ProblemPlace,
  ReadinessReport,
  ReadinessSnapshot,
  ProtocolContract,
  ProtocolTemplate,
  PsbtInspection,
  PurchaseFlow,
  FeeEstimates,
  Quote,
  Safety,
  SearchResult,
  SearchResults,
  SelfSpend,
  Settlement,
  Shard,
  SignatureStatus,
  Source,
  SourceEvidence,
  Spend,
  StreamChange,
  StreamEnd,
  StreamHeartbeat,
  StreamSnapshot,
  Takeable,
  TransactionPlan,
  TransactionProof,
  TxOut,
  Validation,
  VerificationUnavailable,
  VerificationView,
  VerifiedAgreement,
  Withdrawal,
  WithheldChange,
}

/** Schemas of requests: separate, since input may be wider than what is kept. */
const REQUESTS = {
  BuildAskRequest,
  CheckOutputsRequest,
  ImportRequest,
  InspectRequest,
  NostrEvent,
  OwnershipProof,
  PaddingsRequest,
  PreflightRequest,
  PublishAskRequest,
  QuoteRequest,
  SelfSpendRequest,
}

export type Direction = 'input' | 'output'
const NAMES = {
  input: new NamedSchemas(REQUESTS, 'input', uriOf),
  output: new NamedSchemas(ANSWERS, 'output', uriOf),
}

/** Every named schema, for `components.schemas`. */
export const namedSchemas = (): Record<string, JsonSchema> => ({
  ...NAMES.output.all(),
  ...NAMES.input.all(),
})

/** A schema as used in an operation: a reference if it has a name, else inline. */
export function schemaOf(schema: z.ZodType, direction: Direction): JsonSchema {
  const names = NAMES[direction]
  const name = names.nameOf(schema)
  return name === undefined ? names.inline(schema) : { $ref: uriOf(name) }
}

function uriOf(name: string): string {
  return `#/components/schemas/${name}`
}
