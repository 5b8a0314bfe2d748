import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import {
  benchPeerPath,
  freePort,
  type RunningProgram,
  startProgram,
  waitUntil,
} from '../../../test/support/services/programs.ts'

const ROOT = 0
const USER = 'postgres'

/** For data that fit into the machine's memory, as the rows of these benches do. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  shared_buffers: '2GB',
  effective_cache_size: '8GB',
  work_mem: '64MB',
  maintenance_work_mem: '1GB',
  random_page_cost: '1.1',
  jit: 'off',
  // One plan for all values is wrong for searches: tens of milliseconds instead of a few.
  plan_cache_mode: 'force_custom_plan',
  max_wal_size: '8GB',
  // For filling only: the measured queries do not write.
  fsync: 'off',
  synchronous_commit: 'off',
}

/**
 * A PostgreSQL for the bench, on a free port of this machine, its data in a temporary directory.
 */
export class PostgresServer {
  readonly url: string
  readonly #program: RunningProgram
  readonly #home: string

  static async start(): Promise<PostgresServer> {
    const home = mkdtempSync(join(tmpdir(), 'market-postgres-'))
    if (isRoot()) execFileSync('chown', [USER, home])
    const data = join(home, 'data')
    const given = ['--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync']
    const [initdb, ...args] = asUser(['initdb', '-D', data, '-U', USER, ...given])
    execFileSync(initdb, args, { stdio: 'ignore', cwd: home })
    const port = await freePort()
    const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const [postgres, ...rest] = asUser(['postgres', '-D', data, '-p', String(port), ...settings])
    const program = startProgram(postgres, rest, join(home, 'postgres.log'))
    const url = `postgres://${USER}@127.0.0.1:${port}/postgres`
    await waitUntil('PostgreSQL answers', () => {
      if (program.exited()) throw new Error('PostgreSQL did not start: see postgres.log')
      return answers(url)
    })
    return new PostgresServer(url, program, home)
  }

  private constructor(url: string, program: RunningProgram, home: string) {
    this.url = url
    this.#program = program
    this.#home = home
  }

  /** Its backends are children of this process. */
  get pid(): number {
    return this.#program.pid
  }

  async stop(): Promise<void> {
    // Immediately, even with clients connected.
    this.#program.kill('SIGINT')
    await this.#program.stop()
    rmSync(this.#home, { recursive: true, force: true })
  }
}

const isRoot = (): boolean => process.getuid?.() === ROOT

/** PostgreSQL refuses to run as root; the same process runs as its own user. */
function asUser([name = '', ...args]: string[]): [string, ...string[]] {
  const path = join(benchPeerPath('POSTGRES'), name)
  if (!isRoot()) return [path, ...args]
  return ['setpriv', `--reuid=${USER}`, `--regid=${USER}`, '--clear-groups', '--', path, ...args]
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url })
  // A connection that is not yet accepted is closed by the server.
  client.on('error', () => {})
  try {
    await client.connect()
    await client.end()
    return true
  } catch {
    return false
  }
}
