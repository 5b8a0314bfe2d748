import { isIP } from 'node:net'
import { mayReach, reachOf } from './public-address.ts'

/** The host to look up or connect to: an IPv6 address without its brackets. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '')

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
  return null
}
