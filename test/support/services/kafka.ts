import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Kafka, logLevel } from 'kafkajs'
import { quietNegativeTimers } from '../../../src/adapters/kafka/negative-timers.ts'
import { temporaryDirectory } from '../embedded.ts'
import { freePort, programPath, type RunningProgram, startProgram, waitUntil } from './programs.ts'

/** Groups of these tests are small and numerous: the broker need not wait for more members. */
const QUICK_GROUPS = { 'group.initial.rebalance.delay.ms': '0' }

/**
 * A real Kafka broker (KRaft) for one test, on a free port of this machine, with its stock
 * settings.
 */
export class KafkaServer {
  readonly broker: string
  readonly #directory: { path: string; drop(): void }
  readonly #properties: string
  #program: RunningProgram

  static async start(settings: Record<string, string> = QUICK_GROUPS): Promise<KafkaServer> {
    const server = new KafkaServer(await freePort(), await freePort(), settings)
    await server.#answers()
    return server
  }

  private constructor(port: number, controllerPort: number, settings: Record<string, string>) {
    this.#directory = temporaryDirectory()
    this.broker = `127.0.0.1:${port}`
    this.#properties = join(this.#directory.path, 'server.properties')
    const properties = {
      'process.roles': 'broker,controller',
      'node.id': '1',
      'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
      listeners: `PLAINTEXT://${this.broker},CONTROLLER://127.0.0.1:${controllerPort}`,
      'advertised.listeners': `PLAINTEXT://${this.broker}`,
      'controller.listener.names': 'CONTROLLER',
      'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
      'log.dirs': join(this.#directory.path, 'data'),
      // What a cluster of one broker cannot have otherwise.
      'offsets.topic.replication.factor': '1',
      'transaction.state.log.replication.factor': '1',
      'transaction.state.log.min.isr': '1',
      'offsets.topic.num.partitions': '4',
      'transaction.state.log.num.partitions': '4',
      'auto.create.topics.enable': 'false',
      ...settings,
    }
    const lines = Object.entries(properties).map(([name, value]) => `${name}=${value}`)
    writeFileSync(this.#properties, `${lines.join('\n')}\n`)
    const id = java('kafka.tools.StorageTool', 'random-uuid').trim()
    java('kafka.tools.StorageTool', 'format', '-t', id, '-c', this.#properties)
    this.#program = this.#start()
  }

  /** Where its topics are. */
  get dataDirectory(): string {
    return join(this.#directory.path, 'data')
  }

  get pid(): number {
    return this.#program.pid
  }

  kill(signal: NodeJS.Signals): void {
    this.#program.kill(signal)
  }

  lowerPriority(): void {
    this.#program.lowerPriority()
  }

  async restart(): Promise<void> {
    await this.halt()
    await this.resume()
  }

  /** Stops the broker; its data remain for `resume`. */
  async halt(): Promise<void> {
    await this.#program.stop()
  }

  async resume(): Promise<void> {
    this.#program = this.#start()
    await this.#answers()
  }

  async stop(): Promise<void> {
    await this.#program.stop()
    this.#directory.drop()
  }

  /** A client of the test's own. */
  client(): Kafka {
    quietNegativeTimers()
    return new Kafka({ clientId: 'test', brokers: [this.broker], logLevel: logLevel.NOTHING })
  }

  #start(): RunningProgram {
    const log = join(this.#directory.path, 'kafka.log')
    const args = [...JAVA_OPTIONS, '-cp', classPath(), 'kafka.Kafka', this.#properties]
    return startProgram('java', args, log)
  }

  async #answers(): Promise<void> {
    await waitUntil('Kafka answers', async () => {
      if (this.#program.exited()) throw new Error('Kafka did not start: see kafka.log')
      const admin = this.client().admin({ retry: { retries: 0 } })
      try {
        await admin.connect()
        return (await admin.describeCluster()).brokers.length === 1
      } catch {
        return false
      } finally {
        await admin.disconnect().catch(() => undefined)
      }
    })
  }
}

const JAVA_OPTIONS = ['-Xmx512m', '-Xms256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1']

const classPath = (): string => join(programPath('KAFKA'), '*')

const java = (...args: string[]): string =>
  execFileSync('java', ['-cp', classPath(), ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
