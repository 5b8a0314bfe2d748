import { readFile } from 'node:fs/promises'
import { NodeUnavailableError } from '../../ports/authorities/authority-errors.ts'

export type CredentialSource = { user: string; password: string } | { cookieFile: string }

/** The Authorization header of the node's RPC. */
export interface Credentials {
  header(): Promise<string>
  /** After a 401. False: there is no newer login to try. */
  refresh(): Promise<boolean>
}

const basic = (userAndPassword: string): string =>
  `Basic ${Buffer.from(userAndPassword, 'utf8').toString('base64')}`

/** A node writes a new cookie at each start: the file is read again when the old one is refused. */
export function openCredentials(source: CredentialSource): Credentials {
  if ('user' in source) {
    const fixed = basic(`${source.user}:${source.password}`)
    return { header: async () => fixed, refresh: async () => false }
  }
  let known: string | undefined

  const read = async (): Promise<string> => {
    try {
      return basic((await readFile(source.cookieFile, 'utf8')).trim())
    } catch (cause) {
      // The node deletes its cookie when it stops.
      throw new NodeUnavailableError(
        'node_unavailable',
        `the cookie file ${source.cookieFile} cannot be read: is the node running?`,
        { cause },
      )
    }
  }
  return {
    header: async () => {
      known ??= await read()
      return known
    },
    refresh: async () => {
      const before = known
      known = await read()
      return known !== before
    },
  }
}
