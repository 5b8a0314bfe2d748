import { mkdtemp, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { CORE_LOGIN, type Core } from './core.ts'
import { freePort, programPath, type RunningProgram, startProgram, waitUntil } from './programs.ts'

/** An ord server over a node of the same test file. */
export interface OrdProgram {
  readonly url: string
  /** `--no-sync` among the server's arguments keeps the index where it is. */
  start(serverArgs?: readonly string[], follow?: { runes: boolean }): Promise<void>
  stop(): Promise<void>
  kill(signal: NodeJS.Signals): void
  lowerPriority(): void
  /** Deletes its index: the next start builds it anew. */
  forget(): Promise<void>
  /** Ends it, and throws its data away. */
  close(): Promise<void>
}

export interface OrdProgramOptions {
  core: Core
  args?: readonly string[]
}

/** Prepares a directory and a port; nothing runs until `start`. */
export async function prepareOrd({ core, args = [] }: OrdProgramOptions): Promise<OrdProgram> {
  const program = programPath('ORD')
  const directory = await mkdtemp(path.join(os.tmpdir(), 'market-ord-'))
  const dataDir = path.join(directory, 'data')
  const logFile = path.join(directory, 'out.log')
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  let running: RunningProgram | undefined

  const start = async (
    serverArgs: readonly string[] = [],
    follow = { runes: true },
  ): Promise<void> => {
    const options = [
      '--chain=regtest',
      `--bitcoin-rpc-url=${core.url}`,
      `--bitcoin-rpc-username=${CORE_LOGIN.user}`,
      `--bitcoin-rpc-password=${CORE_LOGIN.password}`,
      `--data-dir=${dataDir}`,
      ...(follow.runes ? ['--index-runes'] : []),
      '--index-addresses',
      ...args,
    ]
    const listen = ['--http', '--address=127.0.0.1', `--http-port=${port}`]
    running = startProgram(
      program,
      [...options, 'server', ...listen, '--polling-interval=100ms', ...serverArgs],
      logFile,
    )
    await waitUntil('ord answers', async () => {
      if (running?.exited()) throw new Error(await readFile(logFile, 'utf8'))
      return fetch(`${url}/blockcount`).then(
        // 401: it asks for a login.
        ({ ok, status }) => ok || status === 401,
        () => false,
      )
    })
  }
  const stop = async (): Promise<void> => {
    await running?.stop()
    running = undefined
  }
  return {
    url,
    start,
    stop,
    kill: (signal) => running?.kill(signal),
    lowerPriority: () => running?.lowerPriority(),
    forget: () => rm(dataDir, { recursive: true, force: true }),
    close: async () => {
      await running?.discard()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
