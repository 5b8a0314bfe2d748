import { isIP } from 'node:net'
import { mayReach, reachOf } from './public-address.ts'

/** The host to look up or connect to: an IPv6 address without its brackets. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '')

/** Names that lead nowhere on the Internet: RFC 6761, 6762, 7686, 8375 and 9476, and ICANN's `internal`. */
const NOT_PUBLIC = /(?:^|\.)(?:localhost|local|internal|home\.arpa|invalid|onion|alt|svc)\.?$/
const HTTPS_PORT = 443
const LAST_SYSTEM_PORT = 1023

/**
 * Why nothing may be sent to the URL; null if something may, provided that its name resolves to an
 * address that may be reached. `loopback` allows both http and addresses of this machine.
 */
export function problemOfUrl(text: string, loopback: boolean): string | null {
  if (!URL.canParse(text)) return 'must be a URL'
  const url = new URL(text)
  const host = hostOf(url)
  const isHere = loopback && (host === 'localhost' || reachOf(host) === 'loopback')
  if (url.protocol !== 'https:' && !(isHere && url.protocol === 'http:')) return 'must be https'
  if (url.username !== '' || url.password !== '') return 'must not contain a user or password'
  if (url.hash !== '') return 'must not have a fragment'
  if (isIP(host) !== 0 && !mayReach(host, loopback)) return 'must be at a public address'
  if (isHere) return null
  if (isIP(host) === 0 && (NOT_PUBLIC.test(host) || !/.\../.test(host)))
    return 'must be at a public name'
  // The others are of other services: mail, shells, name servers.
  const port = url.port === '' ? HTTPS_PORT : Number(url.port)
  return port === HTTPS_PORT || port > LAST_SYSTEM_PORT ? null : 'must be at port 443 or above 1023'
}
