import ipaddr from 'ipaddr.js'

/**
 * Addresses in public ranges that a cloud answers from inside: 168.63.129.16 is Azure's, reachable
 * from every virtual machine.
 */
const OF_CLOUDS: ReadonlySet<string> = new Set(['168.63.129.16'])
/** All IPv6 addresses assigned to the Internet so far (RFC 4291, IANA): 2000::/3. */
const GLOBAL_V6 = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * How webhooks class an address: `public`, of this machine (`loopback`), or anything else: private,
 * link-local, shared by a carrier, reserved, of the metadata of a cloud, or an IPv6 form of one of
 * these. IPv4-mapped IPv6 counts as IPv4.
 */
export function reachOf(address: string): 'public' | 'loopback' | 'other' {
  if (!ipaddr.isValid(address)) return 'other'
  const read = ipaddr.process(address)
  const range = read.range()
  if (range === 'loopback') return 'loopback'
  if (range !== 'unicast' || OF_CLOUDS.has(read.toString())) return 'other'
  return read instanceof ipaddr.IPv6 && !read.match(GLOBAL_V6) ? 'other' : 'public'
}

/** May a webhook be sent to it? `loopback`: to this machine too. */
export function mayReach(address: string, loopback: boolean): boolean {
  const reach = reachOf(address)
  return reach === 'public' || (loopback && reach === 'loopback')
}
