import { join } from 'node:path'
import { ranUsOf } from '../../harness/processor-time.ts'
import { ended, forkPinned, SERVER_CORE } from '../processes/pinned.ts'
import type { PageStores } from './page-books.ts'

export interface PageServer {
  name: string
  port: number
  /** Of all processes that serve the answer: the server and its store, so far. */
  cpuUs(): Promise<number>
}

export interface PageServers extends Disposable {
  ours: readonly PageServer[]
  peer: PageServer
  all: readonly PageServer[]
  /** Resolves when each has written its profile. */
  ended(): Promise<void>
}

/** Both gateways and the peer, each in a process of its own on the same core. */
export async function openPageServers({
  redis,
  redisPid,
  postgres,
  dataDir,
  home,
}: PageStores & { redisPid: number; home: string }): Promise<PageServers> {
  const start = (role: string, store: string) =>
    forkPinned({
      module: 'read-server',
      core: SERVER_CORE,
      args: [role, store],
      log: join(home, `${role}.log`),
      profile: process.env['BENCH_PROFILE'],
    })
  const started = [
    { name: 'Redis', process: start('gateway on Redis', redis.url), storePid: redisPid },
    { name: 'embedded', process: start('embedded gateway', dataDir), storePid: null },
    { name: 'peer', process: start('PostgreSQL', postgres.url), storePid: postgres.pid },
  ]
  const [shared, embedded, peer] = await Promise.all(
    started.map(async ({ name, process, storePid }): Promise<PageServer> => {
      const port = await process.call<number>('listen')
      const cpuUs = async () =>
        (await process.call<number>('cpu')) + (storePid === null ? 0 : (ranUsOf(storePid) ?? 0))
      return { name, port, cpuUs }
    }),
  )
  if (!shared || !embedded || !peer) throw new Error('a server did not start')
  return {
    ours: [shared, embedded],
    peer,
    all: [shared, embedded, peer],
    ended: async () => {
      await Promise.all(started.map(({ process }) => ended(process)))
    },
    [Symbol.dispose]: () => {
      for (const { process } of started) process[Symbol.dispose]()
    },
  }
}
