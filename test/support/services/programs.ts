import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { constants, getPriority, setPriority } from 'node:os'
import path from 'node:path'
import { leaveNoOrphan } from '../processes/orphans.ts'

const SCRIPTS = path.resolve(import.meta.dirname, '../../../scripts')

/** Where `scripts/services` keeps a program; a missing one is a failure that names the fix. */
export const programPath = (
  name: 'BITCOIND' | 'ORD' | 'REDIS_SERVER' | 'VALKEY_SERVER' | 'KAFKA' | 'S3_SERVER',
): string => installedBy('services', name, '14 minutes')

/** Where `scripts/alerts` keeps what evaluates the alert rules. */
export const alertsPath = (name: 'PROMETHEUS'): string => installedBy('alerts', name, 'two minutes')

/** Where `scripts/runtimes` keeps the runtimes that the service and its client are tested on. */
export const runtimePath = (name: 'NODE_20' | 'NODE_22' | 'NODE_24' | 'CHROMIUM'): string =>
  installedBy('runtimes', name, 'a minute')

/** Where `scripts/bench-peers` keeps the programs that benchmarks compare with. */
export const benchPeerPath = (name: 'POSTGRES'): string =>
  installedBy('bench-peers', name, 'a minute')

const found = new Map<string, string>()

function installedBy(script: string, name: string, duration: string): string {
  const known = found.get(name)
  if (known !== undefined) return known
  const paths = execFileSync(path.join(SCRIPTS, script), ['paths'], { encoding: 'utf8' })
  const file = new RegExp(`^${name}=(.+)$`, 'm').exec(paths)?.[1]
  if (file === undefined || !existsSync(file))
    throw new Error(`${name} is not installed: run "scripts/${script} install" (about ${duration})`)
  found.set(name, file)
  return file
}

// Below the ports that the kernel assigns by itself: none of these is taken between the answer and
// the start of the program, or while the program is down. Each test worker has its own, and starts
// at a random one of them.
const FIRST_PORT = 10_000
const PORTS = 2_000
const firstPort = FIRST_PORT + PORTS * (Number(process.env['VITEST_POOL_ID'] ?? 0) % 10)
let nextPort = Math.floor(Math.random() * PORTS)

/** A free port of this process's own; each call returns another. */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < PORTS; tried += 1) {
    const port = firstPort + (nextPort++ % PORTS)
    if (await isFree(port)) return port
  }
  throw new Error(`no port is free from ${firstPort} on`)
}

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

export interface RunningProgram {
  readonly pid: number
  /** SIGTERM, then SIGKILL if it does not react; resolves when it is gone. */
  stop(): Promise<void>
  /** SIGKILL, where its data are thrown away; resolves when it is gone. */
  discard(): Promise<void>
  kill(signal: NodeJS.Signals): void
  /** See `lowerPriority`. */
  lowerPriority(): void
  exited(): boolean
}

/** A node that is killed before it has written its chain is back without its last blocks. */
const DEAF_AFTER_MS = 60_000

/** Starts a program with its output in a file; it dies when this process exits, at the latest. */
export function startProgram(command: string, args: string[], logFile: string): RunningProgram {
  const log = openSync(logFile, 'a')
  const child: ChildProcess = spawn(command, args, { stdio: ['ignore', log, log] })
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  leaveNoOrphan(child)
  const exited = () => child.exitCode !== null || child.signalCode !== null
  if (child.pid === undefined) throw new Error(`${command} did not start`)
  return {
    pid: child.pid,
    exited,
    lowerPriority: () => lowerPriority(child.pid),
    kill: (signal) => {
      child.kill(signal)
      if (signal === 'SIGSTOP') waitUntilStopped(child.pid)
    },
    stop: async () => {
      const deaf = setTimeout(() => child.kill('SIGKILL'), DEAF_AFTER_MS)
      if (!exited()) {
        child.kill('SIGTERM')
        // One that is suspended does not hear it.
        child.kill('SIGCONT')
      }
      await gone
      clearTimeout(deaf)
    },
    discard: async () => {
      child.kill('SIGKILL')
      await gone
    },
  }
}

const NICENESS = 10

/**
 * A process gets only what others leave of a core (Linux); threads that it starts later inherit
 * that.
 */
export function lowerPriority(pid: number | undefined): void {
  const niceness = Math.min(constants.priority.PRIORITY_LOW, getPriority() + NICENESS)
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    setPriority(Number(thread), niceness)
  }
}

/**
 * A busy program may run on for a moment after SIGSTOP, and answer: blocks this process until each
 * of its threads has stopped, a second at the most. Without /proc, it does not wait.
 */
export function waitUntilStopped(pid: number | undefined): void {
  const threads = `/proc/${pid}/task`
  const isStopped = (thread: string): boolean =>
    /\) [Tt] /.test(readFileSync(`${threads}/${thread}/stat`, 'utf8'))
  const end = performance.now() + 1_000
  while (existsSync(threads) && performance.now() < end) {
    try {
      if (readdirSync(threads).every(isStopped)) return
    } catch {
      // A thread ended between two looks.
    }
  }
}

/** Asks every 50 ms until the answer is true; fails with `what` after the limit. */
export async function waitUntil(
  what: string,
  ask: () => Promise<boolean> | boolean,
  limitMs = 60_000,
): Promise<void> {
  const end = performance.now() + limitMs
  while (!(await ask())) {
    if (performance.now() > end) throw new Error(`not within ${limitMs} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
