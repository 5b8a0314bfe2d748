import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { createWebhook, rotateWebhook } from '../../../gateway/webhooks/hand-out-secrets.ts'
import {
  deleteWebhook,
  listDeadDeliveries,
  listWebhooks,
  pauseWebhook,
  retryWebhook,
  type WebhookOffice,
} from '../../../gateway/webhooks/manage-webhooks.ts'
import { NoBody } from '../../../schemas/api/api.ts'
import type { ErrorCode } from '../../../schemas/api/errors.ts'
import type { Operator } from '../../../schemas/config/config.ts'
import {
  CreateWebhook,
  DeadDeliveries,
  RotateWebhook,
  WebhookList,
  WebhookPath,
  WebhookView,
  WebhookWithSecret,
} from '../../../schemas/webhooks/webhook-api.ts'
import { idempotencyKeyOf } from '../../plugins/idempotency.ts'
import { BASE, type RouteContext } from '../context.ts'
import { FOR_OPERATORS, forOperators, OPERATOR_REFUSALS } from './admin.ts'
import { audited } from './audited.ts'

const WEBHOOKS = `${BASE}/admin/webhooks`
const WEBHOOK = `${WEBHOOKS}/:name`
const REFUSALS: readonly ErrorCode[] = [...OPERATOR_REFUSALS, 'STORAGE_UNAVAILABLE']

interface Managing {
  office: WebhookOffice
  operators: readonly Operator[]
}

/** Operators manage the endpoints that changes are sent to. */
export function webhookRoutes(
  app: FastifyInstance,
  context: RouteContext,
  { office, operators }: Managing,
): void {
  const onRequest = forOperators(context, operators)
  readRoutes(app, office, onRequest)
  createRoute(app, office, onRequest)
  rotateRoute(app, office, onRequest)
  actRoute(app, onRequest, {
    act: 'pause',
    operationId: 'pauseWebhook',
    summary: 'Pause a webhook',
    description: 'Nothing is sent until it is resumed; it then continues where it stopped.',
    perform: (name) => pauseWebhook(office, name, true),
  })
  actRoute(app, onRequest, {
    act: 'resume',
    operationId: 'resumeWebhook',
    summary: 'Resume a webhook',
    description: 'Also one that its endpoint ended with 410. A failing change is retried at once.',
    perform: (name) => pauseWebhook(office, name, false),
  })
  actRoute(app, onRequest, {
    act: 'retry',
    operationId: 'retryWebhook',
    summary: 'Retry the dead letters of a webhook',
    description:
      'Each is sent once more, before later changes and so out of order; a failing change is retried at ' +
      'once. One that fails again stays a dead letter.',
    perform: (name) => retryWebhook(office, name),
  })
  actRoute(app, onRequest, {
    act: 'delete',
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook',
    description: 'Its dead letters are deleted with it. The answer is the webhook as it was.',
    perform: (name) => deleteWebhook(office, name),
  })
}

function readRoutes(
  app: FastifyInstance,
  office: WebhookOffice,
  onRequest: onRequestAsyncHookHandler[],
): void {
  app.withTypeProvider<ZodTypeProvider>().get(
    WEBHOOKS,
    {
      onRequest,
      schema: {
        ...FOR_OPERATORS,
        operationId: 'listWebhooks',
        summary: 'List the webhooks',
        description: 'Each with the state of its deliveries, without its secret.',
        refusals: REFUSALS,
        response: { 200: WebhookList },
      },
    },
    () => listWebhooks(office),
  )
  app.withTypeProvider<ZodTypeProvider>().get(
    `${WEBHOOK}/dead-letters`,
    {
      onRequest,
      schema: {
        ...FOR_OPERATORS,
        operationId: 'listWebhookDeadLetters',
        summary: 'List the dead letters of a webhook',
        description: 'Changes that could not be delivered for a day, with the last reason.',
        params: WebhookPath,
        refusals: REFUSALS,
        response: { 200: DeadDeliveries },
      },
    },
    ({ params }) => listDeadDeliveries(office, params.name),
  )
}

function createRoute(
  app: FastifyInstance,
  office: WebhookOffice,
  onRequest: onRequestAsyncHookHandler[],
): void {
  app.withTypeProvider<ZodTypeProvider>().post(
    WEBHOOKS,
    {
      onRequest,
      // An answer with a secret must not be stored.
      config: { repeatsItself: true },
      schema: {
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
    },
    async (request, reply) => {
      const { name, url } = request.body
      const key = idempotencyKeyOf(request)
      reply.code(201)
      // The rest of the URL may be a secret.
      const about = { webhook: name, origin: URL.canParse(url) ? new URL(url).origin : null }
      const words = { act: 'create a webhook', acted: 'created a webhook' }
      return audited(request, about, words, (operator) =>
        createWebhook(office, request.body, { operator, key }),
      )
    },
  )
}

function rotateRoute(
  app: FastifyInstance,
  office: WebhookOffice,
  onRequest: onRequestAsyncHookHandler[],
): void {
  app.withTypeProvider<ZodTypeProvider>().post(
    `${WEBHOOK}/rotate`,
    {
      onRequest,
      config: { repeatsItself: true },
      schema: {
        ...FOR_OPERATORS,
        operationId: 'rotateWebhook',
        summary: 'Rotate the secret of a webhook',
        description:
          'For a day the previous secret signs every delivery, too; five may sign at once. Only this answer ' +
          'shows the new one, and its repeat: under the same Idempotency-Key, or with the same ' +
          '`secretVersion`, the number of the secret that is to be replaced.',
        params: WebhookPath,
        refusals: [...REFUSALS, 'WEBHOOKS_NOT_CONFIGURED'],
        body: RotateWebhook,
        response: { 201: WebhookWithSecret },
      },
    },
    async (request, reply) => {
      const { name } = request.params
      const key = idempotencyKeyOf(request)
      reply.code(201)
      const words = { act: 'rotate a webhook', acted: 'rotated a webhook' }
      return audited(request, { webhook: name }, words, (operator) =>
        rotateWebhook(office, name, request.body ?? {}, { operator, key }),
      )
    },
  )
}

const ACTS = {
  pause: 'paused',
  resume: 'resumed',
  retry: 'retried',
  delete: 'deleted',
} as const

function actRoute(
  app: FastifyInstance,
  onRequest: onRequestAsyncHookHandler[],
  {
    act,
    perform,
    ...words
  }: {
    act: keyof typeof ACTS
    operationId: string
    summary: string
    description: string
    perform(name: string): Promise<WebhookView>
  },
): void {
  app.withTypeProvider<ZodTypeProvider>().post(
    `${WEBHOOK}/${act}`,
    {
      onRequest,
      schema: {
        ...FOR_OPERATORS,
        ...words,
        params: WebhookPath,
        refusals: REFUSALS,
        body: NoBody,
        response: { 201: WebhookView },
      },
    },
    async (request, reply) => {
      const { name } = request.params
      reply.code(201)
      const words = { act: `${act} a webhook`, acted: `${ACTS[act]} a webhook` }
      return audited(request, { webhook: name }, words, () => perform(name))
    },
  )
}
