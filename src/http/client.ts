import { isIP, isIPv4, isIPv6 } from 'node:net'
import { normalizeIP } from '@fastify/rate-limit'
import type { FastifyRequest } from 'fastify'

/** A home or a server rack has a /64: within it, IPv6 addresses cost nothing. */
const IPV6_SUBNET = 64
/** Networks that providers assign: a /48 holds 65,536 of /64, and costs nothing. */
const WIDER_IPV6 = [56, 48]

/**
 * The address of the nearest hop that is not a trusted proxy, or of the client itself. A forwarded
 * entry that is not an IP address is ignored, as is everything to its left: it may be forged.
 */
export function addressOf({ ip, ips = [ip] }: Pick<FastifyRequest, 'ip' | 'ips'>): string {
  const [peer = ip, ...forwarded] = ips
  const unreadable = forwarded.findIndex((entry) => !isAddress(entry))
  const readable = unreadable < 0 ? forwarded : forwarded.slice(0, unreadable)
  return readable.at(-1) ?? peer
}

// A zone (`fe80::1%eth0`) is arbitrary text, and names an interface of another machine.
const isAddress = (entry: string): boolean => isIP(entry) !== 0 && !entry.includes('%')

/** The client's identity for limits and for the scope of keys: an IPv4 address or an IPv6 /64. */
export const clientOf = (request: FastifyRequest): string =>
  normalizeIP(addressOf(request), IPV6_SUBNET)

const known = new WeakMap<FastifyRequest, readonly string[]>()

/** The client, then the networks that contain it, each wider than the last: at most three. */
export function networksOf(request: FastifyRequest): readonly string[] {
  const networks = known.get(request) ?? networksAround(request)
  known.set(request, networks)
  return networks
}

function networksAround(request: FastifyRequest): readonly string[] {
  const client = clientOf(request)
  if (isIPv4(client)) return [client, `${client.replace(/[0-9]+$/, '0')}/24`]
  if (!isIPv6(client)) return [client]
  const address = addressOf(request)
  return [client, ...WIDER_IPV6.map((bits) => `${normalizeIP(address, bits)}/${bits}`)]
}
