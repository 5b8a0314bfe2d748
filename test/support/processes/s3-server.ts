import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '../embedded.ts'
import {
  freePort,
  programPath,
  type RunningProgram,
  startProgram,
  waitUntil,
} from '../services/programs.ts'

/** A real S3 server for one test, over a temporary folder with one bucket. */
export class S3Server {
  readonly bucket = 'backups'
  /** What a client of it is configured by. */
  readonly variables: Readonly<Record<string, string>>
  readonly #directory = temporaryDirectory()
  readonly #program: RunningProgram

  static async start(): Promise<S3Server> {
    const server = new S3Server(await freePort())
    const address = server.variables['AWS_ENDPOINT_URL_S3'] ?? ''
    await waitUntil('the S3 server answers', () =>
      fetch(address).then(
        () => true,
        () => false,
      ),
    )
    return server
  }

  private constructor(port: number) {
    const [key, secret] = ['test', randomBytes(16).toString('hex')]
    this.variables = {
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: key,
      AWS_SECRET_ACCESS_KEY: secret,
    }
    const at = (name: string) => join(this.#directory.path, name)
    mkdirSync(join(at('buckets'), this.bucket), { recursive: true })
    mkdirSync(at('facts'))
    const login = ['--access', key, '--secret', secret]
    const store = ['posix', '--sidecar', at('facts'), at('buckets')]
    const args = ['--quiet', ...login, '--port', `127.0.0.1:${port}`, ...store]
    this.#program = startProgram(programPath('S3_SERVER'), args, at('s3.log'))
  }

  /** Where its objects are as files: a test may damage them. */
  get folder(): string {
    return join(this.#directory.path, 'buckets', this.bucket)
  }

  async stop(): Promise<void> {
    await this.#program.discard()
    this.#directory.drop()
  }
}
