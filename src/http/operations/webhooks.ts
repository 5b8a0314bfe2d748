import type { FastifySchema } from 'fastify'
import { NoBody } from '../../schemas/api/api.ts'
import type { ErrorCode } from '../../schemas/api/errors.ts'
import {
  CreateWebhook,
  DeadDeliveries,
  RotateWebhook,
  WebhookList,
  WebhookPath,
  WebhookView,
  WebhookWithSecret,
} from '../../schemas/webhooks/webhook-api.ts'
import { OPERATOR_REFUSALS, taggedForOperators } from './operator.ts'

const FOR_OPERATORS = taggedForOperators('webhooks')
const REFUSALS: readonly ErrorCode[] = [...OPERATOR_REFUSALS, 'STORAGE_UNAVAILABLE']

const acting = (words: { operationId: string; summary: string; description: string }) => ({
  ...FOR_OPERATORS,
  ...words,
  params: WebhookPath,
  refusals: REFUSALS,
  body: NoBody,
  response: { 201: WebhookView },
})

/** The endpoints that changes are sent to. */
export const WEBHOOK_OPERATIONS = {
  listWebhooks: {
    ...FOR_OPERATORS,
    operationId: 'listWebhooks',
    summary: 'List the webhooks',
    description: 'Each with the state of its deliveries, without its secret.',
    refusals: REFUSALS,
    response: { 200: WebhookList },
  },
  listWebhookDeadLetters: {
    ...FOR_OPERATORS,
    operationId: 'listWebhookDeadLetters',
    summary: 'List the dead letters of a webhook',
    description: 'Changes that could not be delivered for a day, with the last reason.',
    params: WebhookPath,
    refusals: REFUSALS,
    response: { 200: DeadDeliveries },
  },
  createWebhook: {
    ...FOR_OPERATORS,
    operationId: 'createWebhook',
    summary: 'Create a webhook',
    description:
      'Every change from now on that passes the filter is posted to the URL, signed as Standard ' +
      'Webhooks requires. Only this answer shows the secret, and its repeat by the same operator ' +
      'within a day: under the same Idempotency-Key, or with the same body until it is rotated.',
    refusals: [...REFUSALS, 'WEBHOOKS_NOT_CONFIGURED'],
    body: CreateWebhook,
    response: { 201: WebhookWithSecret },
  },
  rotateWebhook: {
    ...FOR_OPERATORS,
    operationId: 'rotateWebhook',
    summary: 'Rotate the secret of a webhook',
    description:
      'For a day the previous secret signs every delivery, too; five may sign at once. Only this answer ' +
      'shows the new one, and its repeat by the same operator within a day: under the same ' +
      'Idempotency-Key, or with the same `secretVersion`, the number of the secret that is to be ' +
      'replaced.',
    params: WebhookPath,
    refusals: [...REFUSALS, 'WEBHOOKS_NOT_CONFIGURED'],
    body: RotateWebhook,
    response: { 201: WebhookWithSecret },
  },
  pauseWebhook: acting({
    operationId: 'pauseWebhook',
    summary: 'Pause a webhook',
    description: 'Nothing is sent until it is resumed; it then continues where it stopped.',
  }),
  resumeWebhook: acting({
    operationId: 'resumeWebhook',
    summary: 'Resume a webhook',
    description: 'Also one that its endpoint ended with 410. A failing change is retried at once.',
  }),
  retryWebhook: acting({
    operationId: 'retryWebhook',
    summary: 'Retry the dead letters of a webhook',
    description:
      'Each is sent once more, before later changes and so out of order; a failing change is retried at ' +
      'once. One that fails again stays a dead letter.',
  }),
  deleteWebhook: acting({
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook',
    description: 'Its dead letters are deleted with it. The answer is the webhook as it was.',
  }),
} satisfies Record<string, FastifySchema>
