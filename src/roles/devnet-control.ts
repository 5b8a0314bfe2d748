import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import type { Devnet } from '../adapters/devnet/devnet.ts'
import { Refusal } from '../gateway/refusal.ts'
import {
  DEVNET_BASE,
  DevnetFund,
  DevnetInscribe,
  DevnetMine,
  DevnetReorg,
} from '../schemas/devnet.ts'

/** Lets `market devnet` play with the devnet of the running service (docs/adr: devnet control). */
export async function devnetControl(
  app: FastifyInstance,
  { devnet }: { devnet: Devnet },
): Promise<void> {
  const routes = app.withTypeProvider<ZodTypeProvider>()

  routes.post(`${DEVNET_BASE}/fund`, { schema: { body: DevnetFund } }, async ({ body }, reply) => {
    reply.code(201)
    return { outpoint: played(() => devnet.fund(body.address, BigInt(body.sats))) }
  })
  routes.post(
    `${DEVNET_BASE}/inscribe`,
    { schema: { body: DevnetInscribe } },
    async ({ body: { address, text, postage } }, reply) => {
      reply.code(201)
      const content = { contentType: 'text/plain;charset=utf-8', body: Buffer.from(text) }
      return played(() => devnet.inscribe(address, { ...content, postage: BigInt(postage) }))
    },
  )
  routes.post(`${DEVNET_BASE}/mine`, { schema: { body: DevnetMine } }, async ({ body }, reply) => {
    reply.code(201)
    return { blocks: played(() => devnet.mine(body.blocks)) }
  })
  routes.post(
    `${DEVNET_BASE}/reorg`,
    { schema: { body: DevnetReorg } },
    async ({ body }, reply) => {
      reply.code(201)
      return played(() => devnet.reorg(body.depth))
    },
  )
}

/** What the devnet refuses is the player's to mend. */
function played<T>(action: () => T): T {
  try {
    return action()
  } catch (error) {
    throw new Refusal('BAD_REQUEST', error instanceof Error ? error.message : String(error))
  }
}
