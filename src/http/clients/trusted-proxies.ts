import { BlockList, isIP, isIPv6 } from 'node:net'
import { bareAddress } from './client.ts'
import { isPrivateAddress } from './private-addresses.ts'

/**
 * Decides whose X-Forwarded-For counts: whether the hop with this address is a trusted proxy; the
 * nearest hop is 0. A proxy may write the port of the proxy before it, as it writes the port of a
 * client.
 *
 * A proxy count says nothing about the nearest peer: it applies only to peers of this network, so
 * that clients who bypass the proxies are not believed.
 */
export function trustOf(
  trusted: readonly string[] | number,
): false | ((address: string, hop: number) => boolean) {
  if (typeof trusted === 'number')
    return (address, hop) => (hop === 0 ? isPrivateAddress(address) : hop < trusted)
  if (trusted.length === 0) return false
  const proxies = networksOf(trusted)
  return (address) => {
    const bare = bareAddress(address)
    return isIP(bare) !== 0 && proxies.check(bare, familyOf(bare))
  }
}

function networksOf(entries: readonly string[]): BlockList {
  const networks = new BlockList()
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/')
    if (prefix === undefined) networks.addAddress(address, familyOf(address))
    else networks.addSubnet(address, Number(prefix), familyOf(address))
  }
  return networks
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv6(address) ? 'ipv6' : 'ipv4')
