import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { protocolContract } from '../../gateway/protocol-contract.ts'
import { readCatalog } from '../../gateway/read-catalog.ts'
import { readHealth } from '../../gateway/read-health.ts'
import { Catalog } from '../../schemas/catalog.ts'
import { HealthReport } from '../../schemas/health.ts'
import { ProtocolContract } from '../../schemas/protocol.ts'
import { BASE, type RouteContext } from './context.ts'

/** What this gateway is and how it does: health, protocol, catalog. */
export function contractRoutes(app: FastifyInstance, { gateway }: RouteContext): void {
  const routes = app.withTypeProvider<ZodTypeProvider>()

  routes.get(
    `${BASE}/health`,
    { schema: { response: { 200: HealthReport } }, config: { answersWhenDisabled: true } },
    () => readHealth(gateway),
  )
  routes.get(`${BASE}/protocol`, { schema: { response: { 200: ProtocolContract } } }, async () =>
    protocolContract(gateway.settings),
  )
  routes.get(`${BASE}/catalog`, { schema: { response: { 200: Catalog } } }, async () =>
    readCatalog(),
  )
}
