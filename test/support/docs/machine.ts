import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Program } from '../bundle.ts'
import { ROOT } from '../tree.ts'
import { settingsIn } from './settings.ts'

/** What `machine`, the script beside this file, does in place of the machine's own commands. */
const COMMANDS = [
  'bitcoin-cli',
  'df',
  'editor',
  'install',
  'journalctl',
  'npm',
  'systemctl',
  'systemd-run',
  'useradd',
]
const FOLDERS = ['bin', 'etc/systemd/system', 'usr/local/bin', 'var/backups', 'var/lib']
/** Folders of the machine, where a command names one. */
const PATHS = /(?<=[\s=])\/(?=(?:etc|usr\/local|var)\b)/g
/** Some commands wait for what a fault may keep from coming. */
const WITHIN_MS = 100_000
/** A service that has no time answers 503: a reader would repeat the command. */
const PRELUDE = `set -euo pipefail
curl() {
  command curl --retry 8 --retry-connrefused "$@"
}
`

export interface Surroundings extends Program {
  rpcUrl: string
  /** `user:password`. */
  cookie: string
  /** What the reader edits in market.env: each text by its replacement. */
  edits: readonly [written: string, here: string][]
}

/** A machine in a folder, for the commands of a page that are typed as root. */
export class Machine {
  readonly folder: string
  readonly #environment: NodeJS.ProcessEnv

  constructor(folder: string, { market, rpcUrl, cookie, edits }: Surroundings) {
    this.folder = folder
    for (const name of FOLDERS) mkdirSync(this.path(name), { recursive: true })
    for (const name of COMMANDS) {
      symlinkSync(join(import.meta.dirname, 'machine'), this.path(`bin/${name}`))
    }
    writeFileSync(
      this.path('edits.sed'),
      edits.map(([written, here]) => `s|${written}|${here}|\n`).join(''),
    )
    const found = (name: string) =>
      execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim()
    this.#environment = {
      PATH: `${this.path('bin')}:${process.env['PATH']}`,
      MACHINE: folder,
      REPOSITORY: ROOT,
      NODE: process.execPath,
      MARKET: market,
      INSTALL: found('install'),
      DF: found('df'),
      EDITS: this.path('edits.sed'),
      RPC_URL: rpcUrl,
      COOKIE: cookie,
    }
  }

  path(name: string): string {
    return join(this.folder, name)
  }

  read(name: string): string {
    return readFileSync(this.path(name), 'utf8')
  }

  /** Runs commands as they are written, and gives what they print. */
  async run(commands: string): Promise<string> {
    const script = PRELUDE + commands.replaceAll(PATHS, `${this.folder}/`)
    const { stdout } = await promisify(execFile)('bash', ['-c', script], {
      timeout: WITHIN_MS,
      cwd: this.folder,
      env: this.#environment,
    })
    return stdout
  }

  /** Ends the service, if a command has started it. */
  async end(): Promise<void> {
    if (!existsSync(this.path('market.pid'))) return
    const pid = Number(this.read('market.pid'))
    const isRunning = () => existsSync(`/proc/${pid}/exe`)
    if (isRunning()) process.kill(pid)
    while (isRunning()) await delay(50)
  }

  /** The settings of a file that systemd reads. */
  settings(name: string): Record<string, string> {
    return settingsIn(this.read(name))
  }
}
