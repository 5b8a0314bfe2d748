import type { Server } from 'node:http'
import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'

const IPV4_NETWORK = 24
/** A home or a server rack has a /64: within it, IPv6 addresses cost nothing. */
const IPV6_SUBNET = 64
/** Networks that providers assign: a /48 holds 65,536 of /64, and costs nothing. */
const WIDER_IPV6 = [56, 48]

declare module 'fastify' {
  interface FastifyRequest {
    /** Null: its addresses were not read yet. */
    client: Client | null
  }
}

/** What the address of a request says. The framework parses the forwarded ones at every access. */
export interface Client {
  address: string
  /** Was an address forwarded by a trusted proxy? */
  isForwarded: boolean
  /** Did a trusted proxy forward something that is not an address? */
  isUnreadable: boolean
  /** See `networksOf`. */
  networks: readonly string[]
}

/** Clients that a server remembers. */
const MAX_REMEMBERED = 4_096
/** Most characters of the addresses of one: several proxies with IPv6 addresses. */
const MAX_REMEMBERED_LENGTH = 160

/** By server, since each trusts its own proxies: the clients at these addresses. */
const remembered = new WeakMap<Server, LRUCache<string, Client>>()

function clientIn(request: FastifyRequest): Client {
  request.client ??= recall(request)
  return request.client
}

/** Reading addresses takes longer than remembering what was read. */
function recall(request: FastifyRequest): Client {
  const addresses = `${request.socket.remoteAddress} ${request.headers['x-forwarded-for'] ?? ''}`
  if (addresses.length > MAX_REMEMBERED_LENGTH) return read(request)
  const clients = clientsOf(request.server.server)
  const before = clients.get(addresses)
  if (before) return before
  const client = read(request)
  clients.set(addresses, client)
  return client
}

function clientsOf(server: Server): LRUCache<string, Client> {
  const before = remembered.get(server)
  if (before) return before
  const clients = new LRUCache<string, Client>({ max: MAX_REMEMBERED })
  remembered.set(server, clients)
  return clients
}

function read(request: FastifyRequest): Client {
  const [peer = '', ...entries] = request.ips ?? [request.ip]
  const forwarded = entries.map(bareAddress)
  const address = nearestOf(peer, forwarded)
  return {
    address,
    isForwarded: forwarded.length > 0,
    isUnreadable: forwarded.some((entry) => !isAddress(entry)),
    networks: networksAround(address),
  }
}

/**
 * The address of the nearest hop that is not a trusted proxy, or of the client itself. A forwarded
 * entry that is not an IP address is ignored, as is everything to its left: it may be forged.
 */
export const addressOf = (request: FastifyRequest): string => clientIn(request).address

/** Did a trusted proxy say who the client is? */
export const isForwarded = (request: FastifyRequest): boolean => clientIn(request).isForwarded

/** Is the client counted as a proxy, since what that forwarded is not an address? */
export const isUnreadable = (request: FastifyRequest): boolean => clientIn(request).isUnreadable

/** The client's identity for limits and for the scope of keys: an IPv4 address or an IPv6 /64. */
export const clientOf = (request: FastifyRequest): string => networksOf(request)[0] ?? ''

/** The client, then the networks that contain it, each wider than the last: at most three. */
export const networksOf = (request: FastifyRequest): readonly string[] => clientIn(request).networks

/** The widest network of a client, named as by `clientOf`. Any other name is a network of its own. */
export const widestNetworkOf = (client: string): string => networksAround(client).at(-1) ?? client

function nearestOf(peer: string, forwarded: readonly string[]): string {
  const unreadable = forwarded.findIndex((entry) => !isAddress(entry))
  const readable = unreadable < 0 ? forwarded : forwarded.slice(0, unreadable)
  return readable.at(-1) ?? peer
}

/** Some proxies write the port of the client, and with it or without it brackets (RFC 7239, 6.1). */
export const bareAddress = (entry: string): string =>
  /^\[(.*)\](?::\d{1,5})?$/.exec(entry)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(entry)?.[1] ?? entry

// A zone (`fe80::1%eth0`) is arbitrary text, and names an interface of another machine.
const isAddress = (entry: string): boolean => isIP(entry) !== 0 && !entry.includes('%')

function networksAround(address: string): readonly string[] {
  if (isIP(address) === 0) return [address]
  // Without the zone of a link-local peer. An IPv4 address in IPv6 is the IPv4 address.
  const [bare = ''] = address.split('%')
  const ip = tunnelled(ipaddr.process(bare))
  const bytes = ip.toByteArray()
  const network = (bits: number): string =>
    ipaddr.fromByteArray(bytes.map((byte, at) => (8 * at < bits ? byte : 0))).toString()
  return ip.kind() === 'ipv4'
    ? [ip.toString(), `${network(IPV4_NETWORK)}/${IPV4_NETWORK}`]
    : [network(IPV6_SUBNET), ...WIDER_IPV6.map((bits) => `${network(bits)}/${bits}`)]
}

/**
 * The IPv4 address whose owner has this IPv6 address for nothing: of 6to4 (RFC 3056) or Teredo
 * (RFC 4380, its bits inverted). Any other address as it is.
 */
function tunnelled(ip: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  const bytes = ip.toByteArray()
  const kind = ip.range()
  if (kind === '6to4') return new ipaddr.IPv4(bytes.slice(2, 6))
  if (kind === 'teredo') return new ipaddr.IPv4(bytes.slice(12).map((byte) => byte ^ 0xff))
  return ip
}
