import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import {
  createKey,
  type KeyOffice,
  listKeys,
  revokeKey,
  rotateKey,
} from '../../../gateway/customers/manage-keys.ts'
import type { Operator } from '../../../schemas/config/config.ts'
import { KEY_OPERATIONS } from '../../operations/keys.ts'
import { BASE, type RouteContext } from '../context.ts'
import { forOperators } from './admin.ts'
import { audited } from './audited.ts'

const KEYS = `${BASE}/admin/keys`

/** Operators make, rotate and revoke the keys of customers. */
export function keyRoutes(
  app: FastifyInstance,
  context: RouteContext,
  { office, operators }: { office: KeyOffice; operators: readonly Operator[] },
): void {
  const onRequest = forOperators(context, operators)
  const routes = app.withTypeProvider<ZodTypeProvider>()
  // An answer with a key must not be stored.
  const config = { keepsNothing: true }

  routes.get(KEYS, { onRequest, schema: KEY_OPERATIONS.listKeys }, () => listKeys(office))
  routes.post(
    KEYS,
    { onRequest, config, schema: KEY_OPERATIONS.createKey },
    async (request, reply) => {
      const { name, tier } = request.body
      reply.code(201)
      const words = { act: 'make a key', acted: 'made a key' }
      return audited(request, { key: name, tier }, words, (operator) =>
        createKey(office, request.body, operator),
      )
    },
  )
  routes.post(
    `${KEYS}/:name/rotate`,
    { onRequest, config, schema: KEY_OPERATIONS.rotateKey },
    async (request, reply) => {
      const { name } = request.params
      reply.code(201)
      const words = { act: 'rotate a key', acted: 'rotated a key' }
      return audited(request, { key: name }, words, () =>
        rotateKey(office, name, request.body ?? {}),
      )
    },
  )
  routes.post(
    `${KEYS}/:name/revoke`,
    { onRequest, schema: KEY_OPERATIONS.revokeKey },
    async (request, reply) => {
      const { name } = request.params
      reply.code(201)
      const words = { act: 'revoke a key', acted: 'revoked a key' }
      return audited(request, { key: name }, words, () => revokeKey(office, name))
    },
  )
}
