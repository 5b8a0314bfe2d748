import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { protocolContract } from '../../gateway/reading/protocol-contract.ts'
import { readCatalog } from '../../gateway/reading/read-catalog.ts'
import { readHealth } from '../../gateway/reading/read-health.ts'
import { Catalog } from '../../schemas/api/catalog.ts'
import { HealthReport, type ListingReadiness } from '../../schemas/api/health.ts'
import { ProtocolContract } from '../../schemas/api/protocol.ts'
import { sendJson } from '../answers/send-json.ts'
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
      schema: {
        operationId: 'readHealth',
        summary: 'Health of the gateway',
        description:
          'What is configured, and the current state of node, index and store. The answer is ' +
          '200 whatever `status` is, also while the market is disabled.',
        tags: ['gateway'],
        response: { 200: HealthReport },
      },
      config: { answersWhenDisabled: true, uncounted: true },
    },
    async (_request, reply) => {
      const { body, tag } = healthOf(await readHealth(gateway))
      return sendJson(reply, body, tag)
    },
  )
  routes.get(
    `${BASE}/protocol`,
    {
      schema: {
        operationId: 'readProtocol',
        summary: 'The contract that this gateway implements',
        description: 'What is signed and by whom, what is verified, and what is not guaranteed.',
        tags: ['gateway'],
        response: { 200: ProtocolContract },
      },
    },
    async () => protocolContract(gateway.settings, gateway.bundleSigner?.publicKey ?? null),
  )
  routes.get(
    `${BASE}/catalog`,
    {
      schema: {
        operationId: 'readCatalog',
        summary: 'List the markets',
        description:
          'Each market describes what verification proves for it, and which operations it supports.',
        tags: ['gateway'],
        response: { 200: Catalog },
      },
    },
    async () => readCatalog(gateway.settings),
  )
}
