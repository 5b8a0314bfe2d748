import { isIP } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import type { Devnet } from '../../devnet/devnet.ts'
import { type Played, ProtocolPlay } from '../../devnet/protocol-play.ts'
import { RefusalError } from '../../gateway/refusal.ts'
import {
  DEVNET_BASE,
  DevnetBuy,
  DevnetCircles,
  DevnetFund,
  DevnetInscribe,
  DevnetMine,
  DevnetObjects,
  DevnetOffer,
  DevnetReorg,
  DevnetSend,
} from '../../schemas/api/devnet.ts'
import { buyOnDevnet, offerOnDevnet } from './devnet-trade.ts'

/** Lets `market devnet` control the devnet of the running service (docs/adr/0005-devnet-control.md). */
export async function devnetControl(
  app: FastifyInstance,
  {
    devnet,
    pairingMagic,
    isOpen,
  }: { devnet: Devnet; pairingMagic: string /** To all who reach the API. */; isOpen: boolean },
): Promise<void> {
  if (!isOpen) app.addHook('onRequest', requireThisMachine)
  const play = playOn(devnet, pairingMagic)
  const routes = app.withTypeProvider<ZodTypeProvider>()

  routes.post(`${DEVNET_BASE}/fund`, { schema: { body: DevnetFund } }, async ({ body }, reply) => {
    reply.code(201)
    return { outpoint: await played(() => devnet.fund(body.address, BigInt(body.sats))) }
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
  routes.post(
    `${DEVNET_BASE}/offer`,
    { schema: { body: DevnetOffer } },
    async ({ body }, reply) => {
      reply.code(201)
      return played(() => offerOnDevnet(devnet, body.text, BigInt(body.priceSats)))
    },
  )
  routes.post(`${DEVNET_BASE}/buy`, { schema: { body: DevnetBuy } }, async ({ body }, reply) => {
    reply.code(201)
    return { txid: await played(() => buyOnDevnet(devnet, body.psbt, BigInt(body.priceSats))) }
  })
  routes.post(`${DEVNET_BASE}/send`, { schema: { body: DevnetSend } }, async ({ body }, reply) => {
    reply.code(201)
    return { txid: await played(() => devnet.submit(body.hex)) }
  })
  routes.post(`${DEVNET_BASE}/mine`, { schema: { body: DevnetMine } }, async ({ body }, reply) => {
    reply.code(201)
    return { blocks: await played(() => mineInBatches(devnet, body.blocks)) }
  })
  routes.post(
    `${DEVNET_BASE}/reorg`,
    { schema: { body: DevnetReorg } },
    async ({ body }, reply) => {
      reply.code(201)
      return played(() => devnet.reorg(body.depth))
    },
  )
  routes.post(
    `${DEVNET_BASE}/objects`,
    { schema: { body: DevnetObjects } },
    async ({ body }, reply) => {
      reply.code(201)
      return played(() => playObjects(play, body))
    },
  )
  routes.post(
    `${DEVNET_BASE}/circles`,
    { schema: { body: DevnetCircles } },
    async ({ body }, reply) => {
      reply.code(201)
      return played(() =>
        body.move === 'close'
          ? play.closeLineage(body.shards[0])
          : play.circle(body.members, body.shards),
      )
    },
  )
}

/** What a proxy adds, of one kind or another. */
const OF_PROXIES = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip']

/**
 * Only for callers on this machine. A page in a local browser may use a name that resolves to this
 * address, so Host must be an IP or localhost, and the page itself of this host; and a local proxy
 * forwards remote requests.
 */
const requireThisMachine: onRequestAsyncHookHandler = async ({ socket, headers }) => {
  const { host = '', origin } = headers
  const name = URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : ''
  const isNumber = isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0
  const isForwarded = OF_PROXIES.some((header) => headers[header] !== undefined)
  const isHere = isLoopback(socket.remoteAddress ?? '') && !isForwarded
  const isOwnPage = origin === undefined || origin === `http://${host}`
  if (isHere && isOwnPage && (isNumber || name === 'localhost')) return
  throw new RefusalError(
    'BAD_REQUEST',
    'the devnet is controlled from its own machine only, at localhost: DEVNET_CONTROL=open allows others',
  )
}

const isLoopback = (address: string): boolean =>
  address === '::1' || /^(?:::ffff:)?127\./.test(address)

/** A block takes milliseconds: the event loop is yielded between blocks. */
async function mineInBatches(devnet: Devnet, blocks: number): Promise<string[]> {
  const mined: string[] = []
  while (mined.length < blocks) {
    mined.push(...devnet.mine(1))
    await setImmediate()
  }
  return mined
}

/** Controls the devnet of this process. */
export const playOn = (devnet: Devnet, magic: string): ProtocolPlay =>
  new ProtocolPlay(
    {
      node: devnet.node,
      pay: async (outputs) => devnet.pay(outputs),
      confirm: async (hex) => devnet.confirm(hex),
    },
    magic,
  )

async function playObjects(play: ProtocolPlay, asked: DevnetObjects): Promise<Played> {
  switch (asked.move) {
    case 'create':
      return play.createObject(asked.label)
    case 'move':
      return play.moveObjects(asked.carriers)
    case 'pair':
      return play.pairObjects(...asked.carriers)
    case 'unpair':
      return play.unpairObject(...asked.carriers)
    case 'release':
      return play.releaseObject(...asked.carriers)
  }
}

/** An error of the devnet is the caller's to fix. */
async function played<T>(action: () => T | Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (error) {
    throw new RefusalError('BAD_REQUEST', error instanceof Error ? error.message : String(error))
  }
}
