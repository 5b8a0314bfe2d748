import type { FastifySchema } from 'fastify'
import { NoBody } from '../../schemas/api/api.ts'
import type { ErrorCode } from '../../schemas/api/errors.ts'
import {
  CreateKey,
  KeyList,
  KeyPath,
  KeyView,
  KeyWithSecret,
  RotateKey,
} from '../../schemas/customers/key-api.ts'
import { OPERATOR_REFUSALS, taggedForOperators } from './operator.ts'

const FOR_OPERATORS = taggedForOperators('keys')
const REFUSALS: readonly ErrorCode[] = [...OPERATOR_REFUSALS, 'STORAGE_UNAVAILABLE']

/** The keys of customers. */
export const KEY_OPERATIONS = {
  listKeys: {
    ...FOR_OPERATORS,
    operationId: 'listKeys',
    summary: 'List the keys of customers',
    description: 'Each with the limits of its tier, without its secret. Revoked ones are left out.',
    refusals: REFUSALS,
    response: { 200: KeyList },
  },
  createKey: {
    ...FOR_OPERATORS,
    operationId: 'createKey',
    summary: 'Make a key for a customer',
    description:
      'The customer sends it as `Authorization: Bearer`, and is limited by its tier instead of its ' +
      'address. Only this answer shows it; the service stores its SHA-256. If the answer is lost, ' +
      'rotate the key: an Idempotency-Key is ignored.',
    refusals: REFUSALS,
    body: CreateKey,
    response: { 201: KeyWithSecret },
  },
  rotateKey: {
    ...FOR_OPERATORS,
    operationId: 'rotateKey',
    summary: 'Rotate the key of a customer',
    description:
      'Makes a new secret, which only this answer shows. Those before it are accepted for a day, or ' +
      'for `previousForSeconds`: 0 ends a key that has leaked. The streams of a secret are closed ' +
      'within seconds of its end, and its batches take no further line. Five are accepted at a time. ' +
      'An Idempotency-Key is ignored.',
    params: KeyPath,
    refusals: REFUSALS,
    body: RotateKey,
    response: { 201: KeyWithSecret },
  },
  revokeKey: {
    ...FOR_OPERATORS,
    operationId: 'revokeKey',
    summary: 'Revoke the key of a customer',
    description:
      'No secret of it is accepted any more, at every gateway within moments: its streams are closed, ' +
      'and its batches take no further line. The answer is the key as it was.',
    params: KeyPath,
    refusals: REFUSALS,
    body: NoBody,
    response: { 201: KeyView },
  },
} satisfies Record<string, FastifySchema>
