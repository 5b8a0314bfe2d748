import { type ChildProcess, spawn } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Program } from '../bundle.ts'
import { leaveNoOrphan } from '../processes/orphans.ts'
import { waitUntilStopped } from './programs.ts'

/** For a start on a busy machine. */
const PATIENCE_MS = 110_000

export interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
  /** From the signal to the end of the process, milliseconds. */
  ms: number
}

export interface Ran {
  code: number | null
  stdout: string
  stderr: string
}

/** `market` in a process of its own, as an operator runs it. */
export class ServiceProcess {
  readonly pid: number
  readonly #child: ChildProcess
  readonly #gone: Promise<Omit<Ended, 'ms'>>
  stdout = ''
  stderr = ''

  constructor(program: Program, args: readonly string[], variables: Record<string, string>) {
    this.#child = spawn(process.execPath, [program.market, ...args], {
      // Tests poll faster than clients may.
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        ENV_FILE: '',
        RATE_LIMIT_READ: '100000',
        RATE_LIMIT_GUIDE: '100000',
        RATE_LIMIT_STREAM: '100000',
        RATE_LIMIT_PROVED_KIB: '1000000',
        RATE_LIMIT_STRANGERS_PROVED_KIB: '1000000',
        ...variables,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    if (this.#child.pid === undefined) throw new Error('the process did not start')
    this.pid = this.#child.pid
    leaveNoOrphan(this.#child)
    this.#child.stdout?.on('data', (chunk: Buffer) => {
      this.stdout += chunk
    })
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.stderr += chunk
    })
    this.#gone = new Promise((resolve) =>
      this.#child.once('close', (code, signal) => resolve({ code, signal })),
    )
  }

  /** However a test ends, its process ends too. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.end('SIGKILL')
  }

  /** The API's address, once the banner names it. */
  async ready(): Promise<string> {
    const [, address] = await this.saying(/^market is ready on (\S+)\/api\/market$/m)
    await this.saying(/one JSON line per entry\.\n/)
    return address ?? ''
  }

  /** Resolves when this has appeared on stdout. */
  async saying(what: RegExp): Promise<RegExpExecArray> {
    const until = performance.now() + PATIENCE_MS
    for (;;) {
      const said = what.exec(this.stdout)
      if (said) return said
      if (performance.now() > until || this.#child.exitCode !== null) {
        throw new Error(`it never said ${what}: ${this.stdout}${this.stderr}`)
      }
      await delay(20)
    }
  }

  /** The entries of its log so far. */
  log(): Record<string, unknown>[] {
    return this.stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
    if (signal === 'SIGSTOP') waitUntilStopped(this.pid)
  }

  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> {
    const begun = performance.now()
    this.#child.kill(signal)
    return { ...(await this.#gone), ms: performance.now() - begun }
  }

  /** The signal that ended it; null: it exited by itself. */
  async endedBy(): Promise<NodeJS.Signals | null> {
    return (await this.#gone).signal
  }

  /** It exits without a signal. */
  async ended(): Promise<Ran> {
    const { code } = await this.#gone
    return { code, stdout: this.stdout, stderr: this.stderr }
  }
}

/** Runs one command to its end. */
export const runMarket = (
  program: Program,
  args: readonly string[],
  variables: Record<string, string>,
): Promise<Ran> => new ServiceProcess(program, args, variables).ended()

/** A listener that never answers. */
export async function silentServer(): Promise<{ url: string; close(): void }> {
  const sockets = new Set<Socket>()
  const server: Server = createServer(() => {})
  server.on('connection', (socket: Socket) => sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
