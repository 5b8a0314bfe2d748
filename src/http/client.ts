import { normalizeIP } from '@fastify/rate-limit'
import type { FastifyRequest } from 'fastify'

/** A home or a server rack has a /64: within it, IPv6 addresses cost nothing. */
const IPV6_SUBNET = 64

/** Who asks, for limits and for the scope of keys: an IPv4 address or an IPv6 /64. */
export const clientOf = (request: FastifyRequest): string => normalizeIP(request.ip, IPV6_SUBNET)
