import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface, type Interface } from 'node:readline'
import type { StubSettings, StubState } from './stub-node.ts'

/** A node and an index of mainnet's size, in a process of their own. */
export class Stub {
  readonly #child: ChildProcess
  readonly #lines: Interface

  static async start(settings: StubSettings): Promise<Stub> {
    const path = new URL('./stub-node.ts', import.meta.url).pathname
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
    this.#lines = createInterface({ input: child.stdout })
  }

  async state(): Promise<StubState> {
    const said = this.#next()
    this.#child.stdin?.write('\n')
    return await said
  }

  async end(): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.stdin?.end()
    await ended
  }

  async #next(): Promise<StubState> {
    const [line] = (await once(this.#lines, 'line')) as [string]
    return JSON.parse(line) as StubState
  }
}
