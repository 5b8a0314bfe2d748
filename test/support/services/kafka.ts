import { execFile, execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Kafka, logLevel } from 'kafkajs'
import { quietNegativeTimers } from '../../../src/adapters/kafka/client/negative-timers.ts'
import { temporaryDirectory } from '../embedded.ts'
import {
  allowedUrls,
  type OverTls,
  scramOptions,
  type TlsListeners,
  tlsListeners,
  tlsSettings,
} from '../logins/kafka-over-tls.ts'
import { freePort, programPath, type RunningProgram, startProgram, waitUntil } from './programs.ts'

/** Groups of these tests are small and numerous: the broker need not wait for more members. */
export const QUICK_GROUPS = { 'group.initial.rebalance.delay.ms': '0' }

/**
 * Producers that are idle are forgotten: at the next look, which is each second. What a partition's leader
 * keeps of a producer lasts longer than from its check of a transaction to the records, or it refuses these
 * (INVALID_TXN_STATE).
 */
export const FORGETFUL = {
  'transactional.id.expiration.ms': '1',
  'transaction.remove.expired.transaction.cleanup.interval.ms': '1000',
  'producer.id.expiration.ms': '2000',
  'producer.id.expiration.check.interval.ms': '1000',
}

/**
 * A real Kafka broker (KRaft) for one test, on a free port of this machine, with its stock
 * settings.
 */
export class KafkaServer {
  readonly broker: string
  /** Where users log in, and have the rights that they were granted; empty if it has no users. */
  readonly loginBroker: string
  readonly #directory: { path: string; drop(): void }
  readonly #properties: string
  /** The lines of `#properties`. */
  readonly #lines: readonly string[]
  #program: RunningProgram

  /** Where clients connect over TLS; empty if they cannot. */
  readonly tls: TlsListeners
  readonly #javaOptions: readonly string[]

  /** `users`: their passwords, by name; it then checks rights, and who does not log in has all. */
  static async start(
    settings: Record<string, string> = QUICK_GROUPS,
    users: Record<string, string> = {},
    overTls: OverTls | null = null,
  ): Promise<KafkaServer> {
    const hasUsers = Object.keys(users).length > 0
    const loginPort = hasUsers ? await freePort() : null
    const loginBroker = loginPort === null ? '' : `127.0.0.1:${loginPort}`
    const logins = hasUsers ? loginSettings(users) : {}
    const ports = { broker: await freePort(), controller: await freePort() }
    const tls = overTls ? { ...overTls, listeners: await tlsListeners() } : null
    const server = new KafkaServer(ports, { ...logins, ...settings }, loginBroker, tls)
    await server.#answers()
    return server
  }

  private constructor(
    ports: Record<'broker' | 'controller', number>,
    settings: Record<string, string>,
    loginBroker: string,
    overTls: (OverTls & { listeners: TlsListeners }) | null,
  ) {
    this.#directory = temporaryDirectory()
    this.tls = overTls?.listeners ?? { byCertificate: '', byLogin: '' }
    this.#javaOptions = overTls ? [...JAVA_OPTIONS, allowedUrls(overTls)] : JAVA_OPTIONS
    this.broker = `127.0.0.1:${ports.broker}`
    this.loginBroker = loginBroker
    const { byCertificate, byLogin } = this.tls
    const logins = [
      ...(loginBroker === '' ? [] : [`,SASL_PLAINTEXT://${loginBroker}`]),
      ...(overTls ? [`,SSL://${byCertificate}`, `,SASL_SSL://${byLogin}`] : []),
    ].join('')
    const controller = `127.0.0.1:${ports.controller}`
    this.#properties = join(this.#directory.path, 'server.properties')
    const properties = {
      'process.roles': 'broker,controller',
      'node.id': '1',
      'controller.quorum.voters': `1@${controller}`,
      listeners: `PLAINTEXT://${this.broker},CONTROLLER://${controller}${logins}`,
      'advertised.listeners': `PLAINTEXT://${this.broker}${logins}`,
      'controller.listener.names': 'CONTROLLER',
      'listener.security.protocol.map':
        'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT,SSL:SSL,SASL_SSL:SASL_SSL',
      'inter.broker.listener.name': 'PLAINTEXT',
      'log.dirs': join(this.#directory.path, 'data'),
      // What a cluster of one broker cannot have otherwise.
      'offsets.topic.replication.factor': '1',
      'transaction.state.log.replication.factor': '1',
      'transaction.state.log.min.isr': '1',
      'offsets.topic.num.partitions': '4',
      'transaction.state.log.num.partitions': '4',
      'auto.create.topics.enable': 'false',
      ...(overTls ? tlsSettings(overTls, this.#directory.path) : {}),
      ...settings,
    }
    this.#lines = linesOf(properties)
    this.#configure()
    format(this.#properties, this.dataDirectory, scramOptions(overTls?.scram ?? {}))
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

  /** `settings`: in place of its own, until it is started again. */
  async resume(settings: Record<string, string> = {}): Promise<void> {
    this.#configure(settings)
    this.#program = this.#start()
    await this.#answers()
  }

  /** Ends the broker, and throws its data away. */
  async stop(): Promise<void> {
    await this.#program.discard()
    this.#directory.drop()
  }

  /** A client of the test's own. */
  client(): Kafka {
    quietNegativeTimers()
    return new Kafka({ clientId: 'test', brokers: [this.broker], logLevel: logLevel.NOTHING })
  }

  /** Runs the tool that manages rights, as who does not log in. */
  manageAcls(...args: string[]): string {
    return java('org.apache.kafka.tools.AclCommand', '--bootstrap-server', this.broker, ...args)
  }

  /** The transactional ids that it knows. */
  async transactionalIds(): Promise<string[]> {
    const tool = 'org.apache.kafka.tools.TransactionsCommand'
    const asked = [tool, '--bootstrap-server', this.broker, 'list']
    // The event loop runs meanwhile: groups of its tests go on.
    const { stdout } = await promisify(execFile)('java', javaArgs(asked))
    const [, ...rows] = stdout.trim().split('\n')
    return rows.map((row) => row.split(/\s/)[0] ?? '')
  }

  /** The last line of a name counts. */
  #configure(settings: Record<string, string> = {}): void {
    writeFileSync(this.#properties, `${[...this.#lines, ...linesOf(settings)].join('\n')}\n`)
  }

  #start(): RunningProgram {
    const log = join(this.#directory.path, 'kafka.log')
    const options = [...this.#javaOptions, ...sharedClasses(), '-cp', classPath()]
    const args = [...options, 'kafka.Kafka', this.#properties]
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

const linesOf = (settings: Record<string, string>): string[] =>
  Object.entries(settings).map(([name, value]) => `${name}=${value}`)

/** As Kafka's tools make one, which takes a second: none begins with a dash. */
const randomId = (): string => Buffer.from([0, ...randomBytes(15)]).toString('base64url')

/** What Kafka's tool writes in a folder without SCRAM users, by file; written once a process. */
let formatted: ReadonlyMap<string, Buffer> | null = null
const IDENTITY = 'meta.properties'

/** Makes the folder that a broker begins with: as the tool does, with ids of its own. */
function format(properties: string, directory: string, scram: readonly string[]): void {
  if (formatted === null || scram.length > 0) {
    java('kafka.tools.StorageTool', 'format', '-t', randomId(), '-c', properties, ...scram)
    if (scram.length > 0) return
    formatted = new Map(
      readdirSync(directory).map((name) => [name, readFileSync(join(directory, name))]),
    )
    return
  }
  mkdirSync(directory)
  for (const [name, content] of formatted) {
    const own = content.toString('latin1').replaceAll(/^(\w+\.id)=[\w-]{22}$/gm, `$1=${randomId()}`)
    writeFileSync(join(directory, name), name === IDENTITY ? own : content)
  }
}

/** Of a broker on which users log in with passwords, and have the rights that they were granted. */
function loginSettings(users: Record<string, string>): Record<string, string> {
  const entries = Object.entries(users).map(([name, password]) => `user_${name}="${password}"`)
  const login = 'org.apache.kafka.common.security.plain.PlainLoginModule'
  return {
    'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
    'super.users': 'User:ANONYMOUS',
    'sasl.enabled.mechanisms': 'PLAIN',
    'listener.name.sasl_plaintext.plain.sasl.jaas.config': `${login} required ${entries.join(' ')};`,
  }
}

const JAVA_OPTIONS = ['-Xmx512m', '-Xms256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1']

const classPath = (): string => join(programPath('KAFKA'), '*')

/** Prepared by scripts/services; a Java that it was not made by starts without, and does not say so. */
const sharedClasses = (): string[] => [
  '-Xlog:cds*=off',
  `-XX:SharedArchiveFile=${join(programPath('KAFKA'), 'broker.jsa')}`,
]

const javaArgs = (args: readonly string[]): string[] => [
  ...JAVA_OPTIONS,
  ...sharedClasses(),
  ...['-cp', classPath(), ...args],
]

const java = (...args: string[]): string =>
  execFileSync('java', javaArgs(args), {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
