import type { RedisCommands } from './connection.ts'
import { serversOf } from './servers.ts'

/** The memory that a server uses, and its `maxmemory`, or 0 if it has none. */
export interface ServerMemory {
  usedBytes: number
  limitBytes: number
}

/** A field of INFO's text; empty: the server does not have it. */
export const infoField = (info: string, name: string): string =>
  new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? ''

/** The server's name and version. Valkey also tells the version of Redis that it is compatible with. */
export function versionOf(info: string): string {
  const valkey = infoField(info, 'valkey_version')
  return valkey === '' ? `Redis ${infoField(info, 'redis_version')}` : `Valkey ${valkey}`
}

/** The memory by the text of INFO. */
export const memoryOf = (info: string): ServerMemory => ({
  usedBytes: Number(infoField(info, 'used_memory')),
  limitBytes: Number(infoField(info, 'maxmemory')),
})

/** The memory of every server that takes writes. */
export const memoriesOf = (redis: RedisCommands): Promise<ServerMemory[]> =>
  Promise.all(serversOf(redis).map(async (server) => memoryOf(await server.info('memory'))))

/** The memory of the server that will refuse writes first; without limits, of the one that uses most. */
export function fullestOf(memories: readonly ServerMemory[]): ServerMemory {
  const fullness = ({ usedBytes, limitBytes }: ServerMemory) =>
    limitBytes > 0 ? usedBytes / limitBytes : 0
  const [fullest] = memories.toSorted(
    (a, b) => fullness(b) - fullness(a) || b.usedBytes - a.usedBytes,
  )
  return fullest ?? { usedBytes: 0, limitBytes: 0 }
}
