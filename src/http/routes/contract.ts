import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { protocolContract } from '../../gateway/reading/protocol-contract.ts'
import { readCatalog } from '../../gateway/reading/read-catalog.ts'
import { readHealth } from '../../gateway/reading/read-health.ts'
import type { HealthReport, ListingReadiness } from '../../schemas/api/health.ts'
import { sendJson } from '../answers/send-json.ts'
import { GATEWAY_OPERATIONS } from '../operations/gateway.ts'
import { tagOf } from '../plugins/headers.ts'
import { BASE, type RouteContext } from './context.ts'

/** What this gateway is, and its status: health, protocol, catalog. */
export function contractRoutes(app: FastifyInstance, { gateway }: RouteContext): void {
  const routes = app.withTypeProvider<ZodTypeProvider>()
  // Anyone may ask, at any rate: an answer is made once of each observation.
  const answers = new WeakMap<ListingReadiness, { body: string; tag: string }>()
  const healthOf = (report: HealthReport): { body: string; tag: string } => {
    const known = answers.get(report.listingReadiness)
    if (known) return known
    const body = JSON.stringify(report)
    const answer = { body, tag: tagOf(body) }
    answers.set(report.listingReadiness, answer)
    return answer
  }

  routes.get(
    `${BASE}/health`,
    {
      schema: GATEWAY_OPERATIONS.readHealth,
      config: { answersWhenDisabled: true, uncounted: true },
    },
    async (_request, reply) => {
      const { body, tag } = healthOf(await readHealth(gateway))
      return sendJson(reply, body, tag)
    },
  )
  routes.get(`${BASE}/protocol`, { schema: GATEWAY_OPERATIONS.readProtocol }, async () =>
    protocolContract(gateway.settings, gateway.bundleSigner?.publicKey ?? null),
  )
  routes.get(`${BASE}/catalog`, { schema: GATEWAY_OPERATIONS.readCatalog }, async () =>
    readCatalog(gateway.settings),
  )
}
