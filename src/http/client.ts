import { isIPv4, isIPv6 } from 'node:net'
import { normalizeIP } from '@fastify/rate-limit'
import type { FastifyRequest } from 'fastify'

/** A home or a server rack has a /64: within it, IPv6 addresses cost nothing. */
const IPV6_SUBNET = 64
/** What providers hand out: a /48 holds 65,536 of the first, and is free to have. */
const WIDER_IPV6 = [56, 48]

/** Who asks, for limits and for the scope of keys: an IPv4 address or an IPv6 /64. */
export const clientOf = (request: FastifyRequest): string => normalizeIP(request.ip, IPV6_SUBNET)

/** The client, then the networks that it is in, each wider than the one before: at most three. */
export function networksOf(request: FastifyRequest): readonly string[] {
  const client = clientOf(request)
  if (isIPv4(client)) return [client, `${client.replace(/[0-9]+$/, '0')}/24`]
  if (!isIPv6(client)) return [client]
  return [client, ...WIDER_IPV6.map((bits) => `${normalizeIP(request.ip, bits)}/${bits}`)]
}
