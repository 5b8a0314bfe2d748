import { z } from 'zod'
import { INVALID, MAX_QUERY_LENGTH, MAX_VOUT, SEARCHABLE } from '../../pairing/parameters.ts'
import { DEFAULT_LIMIT, DEFAULT_SEARCH_LIMIT } from '../../pairing/questions.ts'
import { VerificationUnavailable } from '../../schemas/api/message-errors.ts'
import {
  AddressCarriers,
  AgreementEnvelope,
  PairingCarrier,
  PairingCarriers,
  PairingCheckpoints,
  PairingEvents,
  PairingObject,
  PairingObjects,
  PairingTransaction,
  ReadinessSnapshot,
  SearchResults,
  verified,
} from '../../schemas/api/pairing.ts'
import { messageOperations } from '../openapi/message-operations.ts'
import { hashParameter, limitParameter, type Parameter } from '../openapi/message-parameters.ts'

const objectKey = hashParameter('object key')
const txid = hashParameter('txid')
const limit = limitParameter(DEFAULT_LIMIT)

const vout: Parameter = {
  schema: z.int().min(0).max(MAX_VOUT),
  refusals: [INVALID.integer, INVALID.vout],
}
const height: Parameter = {
  schema: z.int().describe('Any integer; negative heights have no checkpoint.'),
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

/** Both readiness routes answer the same. */
const READINESS = {
  answer: ReadinessSnapshot,
  unavailable: ReadinessSnapshot.describe('Not ready: the same body, with the reasons.'),
}
const BOTH_SIGNED = 'Answered only while both pipelines have signed the same nine fields.'

/** The routes of the specification (4), and extra ones that list and look up the same records. */
export const pairingOperations = messageOperations('pairing', {
  listObjects: {
    summary: 'Objects, newest first',
    description: 'The view of this pipeline alone, not verified with the other.',
    query: { limit },
    answer: PairingObjects,
  },
  readObject: {
    summary: 'One object',
    description: 'The view of this pipeline alone, not verified with the other.',
    path: { objectKey },
    answer: PairingObject,
    absent: 'object',
  },
  listCarriers: {
    summary: 'Carriers, newest first',
    description: 'Outputs that are or were carriers of objects, including spent ones.',
    query: { limit },
    answer: PairingCarriers,
  },
  readCarrier: {
    summary: 'One carrier, spent or not',
    description: 'By the outpoint of the output.',
    path: { txid, vout },
    answer: PairingCarrier,
    absent: 'carrier',
  },
  listCheckpoints: {
    summary: 'Checkpoints, newest first',
    description: 'The nine fields of each block that this pipeline has indexed, unsigned.',
    query: { limit },
    answer: PairingCheckpoints,
  },
  readEvents: {
    summary: 'What a transaction did to objects',
    description: 'Events in their order. A recorded transaction without effect has none.',
    path: { txid },
    answer: PairingEvents,
    absent: 'transaction',
  },
  readTransaction: {
    summary: 'One transaction with a marker',
    description: 'What its marker requested, and, where it had no effect, why.',
    path: { txid },
    answer: PairingTransaction,
    absent: 'transaction',
  },
  readVerifiedObject: {
    summary: 'One object, verified',
    description: BOTH_SIGNED,
    path: { objectKey },
    answer: verified(PairingObject),
    absent: 'object',
    unavailable: VerificationUnavailable,
  },
  searchVerified: {
    summary: 'Search, verified',
    description: `${BOTH_SIGNED} Objects first, then the rest, each sorted by key.`,
    query: { q, limit: limitParameter(DEFAULT_SEARCH_LIMIT) },
    answer: verified(SearchResults),
    unavailable: VerificationUnavailable,
  },
  listVerifiedCarriers: {
    summary: 'Carriers of an address, verified',
    description: `${BOTH_SIGNED} Newest first, including spent ones.`,
    path: { address },
    query: { limit },
    answer: verified(AddressCarriers),
    unavailable: VerificationUnavailable,
  },
  readAgreement: {
    summary: 'The signed checkpoint of a height',
    description:
      'What this pipeline has signed. A 500 means that no signing boundary is configured: alert, do not retry.',
    path: { height },
    answer: AgreementEnvelope,
    absent: 'checkpoint',
  },
  readPairingReadiness: {
    summary: 'Can verified reads be answered?',
    description: 'Ten gates; the reasons name every failing gate, in the order of evaluation.',
    ...READINESS,
  },
  probePairing: {
    summary: 'Should this pipeline get traffic?',
    description: 'The same as `/pairing/readiness`.',
    ...READINESS,
  },
})
