import { execFile } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { freePort, programPath, type RunningProgram, startProgram, waitUntil } from './programs.ts'
import { documentedMethods } from './rpc-whitelist.ts'

const run = promisify(execFile)

const Reply = z.object({
  result: z.unknown().optional(),
  error: z.object({ code: z.int(), message: z.string() }).nullish(),
})

/** An error answered by the node, in its words. */
export class CoreError extends Error {
  override name = 'CoreError'
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

const WARMING_UP = -28

/** A Bitcoin Core of one test file, in a directory and on a port of its own. */
export interface Core {
  readonly url: string
  readonly port: number
  readonly cookieFile: string
  /** Queries the node without the adapter under test. */
  rpc(method: string, ...params: readonly unknown[]): Promise<unknown>
  start(extraArgs?: readonly string[]): Promise<void>
  /**
   * Starts it and holds it in its warm-up, where it answers each call with error -28. The returned
   * function lets it go on, and resolves when it answers.
   */
  startWarmingUp(): Promise<() => Promise<void>>
  stop(): Promise<void>
  kill(signal: NodeJS.Signals): void
  lowerPriority(): void
  /** Ends it, and throws its data away. */
  close(): Promise<void>
}

export interface CoreOptions {
  chain?: 'regtest' | 'signet'
  args?: readonly string[]
  /** Arguments that make the logins besides the cookie. */
  logins?: readonly string[]
  /** Default: a free one. */
  port?: number
}

/** A login besides the cookie, for programs that read a cookie only once. */
export const CORE_LOGIN = { user: 'test', password: 'test' } as const
/** A login with exactly the rights that the documentation gives the service. */
export const SERVICE_LOGIN = { user: 'market', password: 'service' } as const
const rpcAuth = ({ user, password }: typeof CORE_LOGIN | typeof SERVICE_LOGIN): string =>
  `-rpcauth=${user}:00$${createHmac('sha256', '00').update(password).digest('hex')}`

const LOGINS = [
  rpcAuth(CORE_LOGIN),
  rpcAuth(SERVICE_LOGIN),
  `-rpcwhitelist=${SERVICE_LOGIN.user}:${documentedMethods().join(',')}`,
  '-rpcwhitelistdefault=0',
]
const BASE_ARGS = [
  ...['-server', '-listen=0', '-dnsseed=0', '-fixedseeds=0', '-connect=0'],
  // On regtest a node checks all of its mempool and of its block index at each step.
  ...['-checkmempool=0', '-checkblockindex=0'],
]
const INDEX_ARGS = ['-txindex=1', '-txospenderindex=1']

/** Prepares a directory and a port; nothing runs until `start`. */
export async function prepareCore(options: CoreOptions = {}): Promise<Core> {
  const { chain = 'regtest', args = INDEX_ARGS, logins = LOGINS } = options
  const program = programPath('BITCOIND')
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'market-core-'))
  const port = options.port ?? (await freePort())
  const url = `http://127.0.0.1:${port}`
  const cookieFile = path.join(dataDir, chain, '.cookie')
  let running: RunningProgram | undefined

  const rpc = async (method: string, ...params: readonly unknown[]): Promise<unknown> => {
    const cookie = (await readFile(cookieFile, 'utf8')).trim()
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(cookie).toString('base64')}` },
      body: JSON.stringify({ jsonrpc: '2.0', id: 0, method, params }),
    })
    const { result, error } = Reply.parse(await response.json())
    if (error) throw new CoreError(error.code, error.message)
    return result
  }
  const launch = (extraArgs: readonly string[] = []): void => {
    running = startProgram(
      program,
      [
        `-chain=${chain}`,
        `-datadir=${dataDir}`,
        `-rpcport=${port}`,
        ...BASE_ARGS,
        ...logins,
        ...args,
        ...extraArgs,
      ],
      path.join(dataDir, 'out.log'),
    )
  }
  const answers = () =>
    waitUntil('bitcoind answers', async () => {
      if (running?.exited()) throw new Error(await readFile(path.join(dataDir, 'out.log'), 'utf8'))
      return rpc('getblockcount').then(
        () => true,
        () => false,
      )
    })
  const start = async (extraArgs: readonly string[] = []): Promise<void> => {
    launch(extraArgs)
    await answers()
  }
  // It reads its ban list after it has begun to answer and before it has loaded its chain: a FIFO in the place of that
  // file keeps it waiting for a writer.
  const startWarmingUp = async (): Promise<() => Promise<void>> => {
    const banList = path.join(dataDir, chain, 'banlist.json')
    await rm(banList, { force: true })
    await run('mkfifo', [banList])
    launch()
    await waitUntil('bitcoind warms up', () =>
      rpc('getblockcount').then(
        () => false,
        (error: unknown) => error instanceof CoreError && error.code === WARMING_UP,
      ),
    )
    return async () => {
      await writeFile(banList, '{"banned_nets":[]}')
      await rm(banList)
      await answers()
    }
  }
  const stop = async (): Promise<void> => {
    await running?.stop()
    running = undefined
  }
  return {
    url,
    port,
    cookieFile,
    rpc,
    start,
    startWarmingUp,
    stop,
    kill: (signal) => running?.kill(signal),
    lowerPriority: () => running?.lowerPriority(),
    close: async () => {
      await running?.discard()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
