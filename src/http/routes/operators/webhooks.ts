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
import type { Operator } from '../../../schemas/config/config.ts'
import type { WebhookView } from '../../../schemas/webhooks/webhook-api.ts'
import { WEBHOOK_OPERATIONS } from '../../operations/webhooks.ts'
import { idempotencyKeyOf } from '../../plugins/idempotency.ts'
import { BASE, type RouteContext } from '../context.ts'
import { forOperators } from './admin.ts'
import { audited } from './audited.ts'

const WEBHOOKS = `${BASE}/admin/webhooks`
const WEBHOOK = `${WEBHOOKS}/:name`

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
  actRoute(app, onRequest, 'pause', (name) => pauseWebhook(office, name, true))
  actRoute(app, onRequest, 'resume', (name) => pauseWebhook(office, name, false))
  actRoute(app, onRequest, 'retry', (name) => retryWebhook(office, name))
  actRoute(app, onRequest, 'delete', (name) => deleteWebhook(office, name))
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
      schema: WEBHOOK_OPERATIONS.listWebhooks,
    },
    () => listWebhooks(office),
  )
  app.withTypeProvider<ZodTypeProvider>().get(
    `${WEBHOOK}/dead-letters`,
    {
      onRequest,
      schema: WEBHOOK_OPERATIONS.listWebhookDeadLetters,
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
      schema: WEBHOOK_OPERATIONS.createWebhook,
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
      schema: WEBHOOK_OPERATIONS.rotateWebhook,
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
  act: keyof typeof ACTS,
  perform: (name: string) => Promise<WebhookView>,
): void {
  app.withTypeProvider<ZodTypeProvider>().post(
    `${WEBHOOK}/${act}`,
    {
      onRequest,
      schema: WEBHOOK_OPERATIONS[`${act}Webhook`],
    },
    async (request, reply) => {
      const { name } = request.params
      reply.code(201)
      const words = { act: `${act} a webhook`, acted: `${ACTS[act]} a webhook` }
      return audited(request, { webhook: name }, words, () => perform(name))
    },
  )
}
