import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { temporaryDirectory } from '../embedded.ts'
import { ROOT } from '../tree.ts'

export interface ScriptRun {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs scripts of this tree with a cache of their own, and with stand-ins for the programs they call. */
export class StandIns {
  readonly #directory = temporaryDirectory()
  readonly cache = join(this.#directory.path, 'cache')
  readonly #bin = join(this.#directory.path, 'bin')
  /** Temporary files of the scripts. */
  readonly temporary = join(this.#directory.path, 'tmp')
  variables: Record<string, string> = {}

  constructor() {
    for (const folder of [this.cache, this.#bin, this.temporary]) mkdirSync(folder)
  }

  get path(): string {
    return this.#directory.path
  }

  /** A program that is found first: its body, in bash. */
  program(name: string, body: string): void {
    this.file(join(this.#bin, name), body)
  }

  /** A program at a path. */
  file(path: string, body: string): void {
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, `#!/usr/bin/env bash\n${body}\n`)
    chmodSync(path, 0o755)
  }

  start(script: string, ...args: string[]): ChildProcessByStdio<null, Readable, Readable> {
    return this.#startAt(join(ROOT, 'scripts', script), args)
  }

  run(script: string, ...args: string[]): Promise<ScriptRun> {
    return ended(this.start(script, ...args))
  }

  /** A script of another tree. */
  runAt(path: string, ...args: string[]): Promise<ScriptRun> {
    return ended(this.#startAt(path, args))
  }

  #startAt(path: string, args: readonly string[]) {
    return spawn(path, args, {
      cwd: ROOT,
      detached: true,
      env: {
        ...process.env,
        PATH: `${this.#bin}:${process.env['PATH']}`,
        TMPDIR: this.temporary,
        MARKET_SERVICES_CACHE: this.cache,
        STAND_INS: this.path,
        ...this.variables,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }

  drop(): void {
    this.#directory.drop()
  }
}

async function ended(child: ChildProcessByStdio<null, Readable, Readable>): Promise<ScriptRun> {
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ])
  return { code, stdout, stderr }
}
