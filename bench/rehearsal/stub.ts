import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface, type Interface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { StubSettings, StubState } from './stub-node.ts'

/** A node and an index of mainnet's size, in a process of their own. */
export class Stub {
  readonly #child: ChildProcess
  readonly #lines: Interface
  /** Rejects when it has ended. */
  readonly #gone: Promise<never>

  static async start(settings: StubSettings): Promise<Stub> {
    const path = fileURLToPath(new URL('./stub-node.ts', import.meta.url))
    const child = spawn(
      process.execPath,
      ['--max-old-space-size=8192', '--import', 'tsx', path, JSON.stringify(settings)],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    )
    const stub = new Stub(child)
    await stub.#next()
    return stub
  }

  private constructor(child: ChildProcess) {
    if (!child.stdout) throw new Error('the stub has no output')
    this.#child = child
    this.#gone = once(child, 'exit').then(([code, signal]) => {
      throw new Error(`the stub has ended: ${signal ?? `exit code ${code}`}`)
    })
    this.#gone.catch(() => undefined)
    this.#lines = createInterface({ input: child.stdout })
  }

  async state(): Promise<StubState> {
    const said = this.#next()
    this.#child.stdin?.write('\n')
    return await said
  }

  async end(): Promise<void> {
    this.#child.stdin?.end()
    await this.#gone.catch(() => undefined)
  }

  async #next(): Promise<StubState> {
    const [line] = (await Promise.race([once(this.#lines, 'line'), this.#gone])) as [string]
    return JSON.parse(line) as StubState
  }
}
