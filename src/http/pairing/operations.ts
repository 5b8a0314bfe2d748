import type { FastifySchema } from 'fastify'
import { z } from 'zod'
import { INVALID, MAX_QUERY_LENGTH, MAX_VOUT, SEARCHABLE } from '../../pairing/fold/parameters.ts'
import { MAX_PROVED, proveCarrier, proveEvent, proveObject } from '../../pairing/prove.ts'
import {
  type Ask,
  askAddress,
  askCarrier,
  askCarriers,
  askCheckpoints,
  askEvents,
  askEventsOfObject,
  askObject,
  askObjects,
  askSearch,
  askTransaction,
  DEFAULT_LIMIT,
  DEFAULT_SEARCH_LIMIT,
} from '../../pairing/questions.ts'
import { VerificationUnavailable } from '../../schemas/api/message-errors.ts'
import {
  AddressCarriers,
  AgreementEnvelope,
  ObjectEvents,
  PairingCarrier,
  PairingCarriers,
  PairingCheckpoints,
  PairingDivergences,
  PairingEvents,
  PairingObject,
  PairingObjects,
  PairingProof,
  PairingTransaction,
  type ProofBody,
  ReadinessSnapshot,
  SearchResults,
  verified,
} from '../../schemas/api/pairing.ts'
import { NO_OPERATOR } from '../clients/operators.ts'
import {
  cursorParameter as cursor,
  hashParameter,
  limitParameter,
  type Parameter,
} from '../openapi/message-parameters.ts'
import { messageSchema } from '../openapi/message-schema.ts'

const objectKey = hashParameter('object key')
const txid = hashParameter('txid')
const limit = limitParameter(DEFAULT_LIMIT)

const vout: Parameter = {
  schema: z.int().min(0).max(MAX_VOUT).describe('Index of the output in its transaction.'),
  refusals: [INVALID.integer, INVALID.vout],
}
const eventIndex: Parameter = {
  schema: z.int().describe('Any integer; no event has a negative one.'),
  refusals: [INVALID.integer],
}
const q: Parameter = {
  schema: z
    .string()
    .min(1)
    .max(MAX_QUERY_LENGTH)
    .regex(SEARCHABLE)
    .describe('A prefix of an object key, txid or outpoint, an address, or part of a label.'),
  refusals: [INVALID.queryLength, INVALID.queryCharacters],
}
const address: Parameter = {
  schema: z.string().describe('A bech32 P2WSH address on the network of the deployment.'),
  refusals: [INVALID.address],
}

const height: Parameter = {
  schema: z.int().describe('Any integer; negative heights have no checkpoint.'),
  refusals: [INVALID.integer],
}
/** Both readiness routes answer the same. */
const READINESS = {
  200: ReadinessSnapshot,
  503: ReadinessSnapshot.describe('Not ready: the same body, with the reasons.'),
}

const BOTH_SIGNED = 'Answered only while both pipelines have signed the same nine fields.'

/** Below `/pairing`: the query behind each path, and its description. */
export const DIRECT: Readonly<Record<string, readonly [Ask, FastifySchema]>> = {
  '/objects': [
    askObjects,
    messageSchema({
      operationId: 'listObjects',
      summary: 'Objects, newest first',
      description: 'The view of this pipeline alone, not verified with the other.',
      tags: ['pairing'],
      querystring: { limit, cursor },
      response: { 200: PairingObjects },
    }),
  ],
  '/objects/:objectKey': [
    askObject,
    messageSchema({
      operationId: 'readObject',
      summary: 'One object',
      description: 'The view of this pipeline alone, not verified with the other.',
      tags: ['pairing'],
      absent: 'object',
      params: { objectKey },
      response: { 200: PairingObject },
    }),
  ],
  '/objects/:objectKey/events': [
    askEventsOfObject,
    messageSchema({
      operationId: 'listEventsOfObject',
      summary: 'What happened to an object, newest first',
      description:
        'The events that carry its key, of all transactions. The view of this pipeline alone.',
      tags: ['pairing'],
      absent: 'object',
      params: { objectKey },
      querystring: { limit, cursor },
      response: { 200: ObjectEvents },
    }),
  ],
  '/carriers': [
    askCarriers,
    messageSchema({
      operationId: 'listCarriers',
      summary: 'Carriers, newest first',
      description: 'Outputs that are or were carriers of objects, including spent ones.',
      tags: ['pairing'],
      querystring: { limit, cursor },
      response: { 200: PairingCarriers },
    }),
  ],
  '/carriers/:txid/:vout': [
    askCarrier,
    messageSchema({
      operationId: 'readCarrier',
      summary: 'One carrier, spent or not',
      description: 'By the outpoint of the output.',
      tags: ['pairing'],
      absent: 'carrier',
      params: { txid, vout },
      response: { 200: PairingCarrier },
    }),
  ],
  '/checkpoints': [
    askCheckpoints,
    messageSchema({
      operationId: 'listCheckpoints',
      summary: 'Checkpoints, newest first',
      description: 'The nine fields of each block that this pipeline has indexed, unsigned.',
      tags: ['pairing'],
      querystring: { limit, cursor },
      response: { 200: PairingCheckpoints },
    }),
  ],
  '/events/:txid': [
    askEvents,
    messageSchema({
      operationId: 'readEvents',
      summary: 'What a transaction did to objects',
      description: 'Events in their order. A recorded transaction without effect has none.',
      tags: ['pairing'],
      absent: 'transaction',
      params: { txid },
      response: { 200: PairingEvents },
    }),
  ],
  '/transactions/:txid': [
    askTransaction,
    messageSchema({
      operationId: 'readTransaction',
      summary: 'One transaction with a marker',
      description: 'What its marker requested, and, where it had no effect, why.',
      tags: ['pairing'],
      absent: 'transaction',
      params: { txid },
      response: { 200: PairingTransaction },
    }),
  ],
}

const PROVED =
  'Everything that the root of one checkpoint is a hash of, with this pipeline’s signature of the ' +
  'checkpoint: `market pairing verify-proof` checks it without a network. The record is as it was ' +
  `after that block, the last that changed it. A block that changed more than ${MAX_PROVED} ` +
  'records of the kind has no proof.'

/** Below `/pairing`: the proof of the record at each path. */
export const PROOFS: Readonly<Record<string, readonly [Ask<ProofBody>, FastifySchema]>> = {
  '/objects/:objectKey/proof': [
    proveObject,
    messageSchema({
      operationId: 'proveObject',
      summary: 'Prove that an object is in a checkpoint',
      description: PROVED,
      tags: ['pairing'],
      absent: ['object', 'proof'],
      params: { objectKey },
      response: { 200: PairingProof },
    }),
  ],
  '/carriers/:txid/:vout/proof': [
    proveCarrier,
    messageSchema({
      operationId: 'proveCarrier',
      summary: 'Prove that a carrier is in a checkpoint',
      description: PROVED,
      tags: ['pairing'],
      absent: ['carrier', 'proof'],
      params: { txid, vout },
      response: { 200: PairingProof },
    }),
  ],
  '/events/:txid/:eventIndex/proof': [
    proveEvent,
    messageSchema({
      operationId: 'proveEvent',
      summary: 'Prove that an event is in a checkpoint',
      description: PROVED,
      tags: ['pairing'],
      absent: ['event', 'proof'],
      params: { txid, eventIndex },
      response: { 200: PairingProof },
    }),
  ],
}

/** Below `/pairing/verified`: answered only if the other pipeline agrees. */
export const VERIFIED: Readonly<Record<string, readonly [Ask, FastifySchema]>> = {
  '/objects/:objectKey': [
    askObject,
    messageSchema({
      operationId: 'readVerifiedObject',
      summary: 'One object, verified',
      description: BOTH_SIGNED,
      tags: ['pairing'],
      absent: 'object',
      params: { objectKey },
      response: { 200: verified(PairingObject), 503: VerificationUnavailable },
    }),
  ],
  '/search': [
    askSearch,
    messageSchema({
      operationId: 'searchVerified',
      summary: 'Search, verified',
      description: `${BOTH_SIGNED} Objects first, then the rest, each sorted by key.`,
      tags: ['pairing'],
      querystring: { q, limit: limitParameter(DEFAULT_SEARCH_LIMIT), cursor },
      response: { 200: verified(SearchResults), 503: VerificationUnavailable },
    }),
  ],
  '/addresses/:address': [
    askAddress,
    messageSchema({
      operationId: 'listVerifiedCarriers',
      summary: 'Carriers of an address, verified',
      description: `${BOTH_SIGNED} Newest first, including spent ones.`,
      tags: ['pairing'],
      params: { address },
      querystring: { limit, cursor },
      response: { 200: verified(AddressCarriers), 503: VerificationUnavailable },
    }),
  ],
}

/** Readiness, the signed checkpoints, and where they differ. */
export const OWN = {
  probePairing: messageSchema({
    operationId: 'probePairing',
    summary: 'Should this pipeline get traffic?',
    description: 'The same as `/pairing/readiness`.',
    tags: ['pairing'],
    response: READINESS,
  }),
  readAgreement: messageSchema({
    operationId: 'readAgreement',
    summary: 'The signed checkpoint of a height',
    description:
      'What this pipeline has signed. A 500 means that no signing boundary is configured: alert, do not retry.',
    tags: ['pairing'],
    absent: 'checkpoint',
    params: { height },
    response: { 200: AgreementEnvelope },
  }),
  readPairingReadiness: messageSchema({
    operationId: 'readPairingReadiness',
    summary: 'Can verified reads be answered?',
    description: 'Ten gates; the reasons name every failing gate, in the order of evaluation.',
    tags: ['pairing'],
    response: READINESS,
  }),
  listDivergences: messageSchema({
    operationId: 'listDivergences',
    summary: 'Where the pipelines signed different fields, newest first',
    description: 'Both signed envelopes of each difference that this pipeline has found.',
    tags: ['pairing'],
    security: [{ operator: [] }],
    unauthorised: NO_OPERATOR,
    querystring: { limit, cursor },
    response: { 200: PairingDivergences },
  }),
} satisfies Record<string, FastifySchema>
