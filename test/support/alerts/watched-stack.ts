import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { VIEWS } from '../../../src/adapters/redis/rights/key-names.ts'
import { makeOperatorToken } from '../../../src/operator/operator-token.ts'
import type { Program } from '../bundle.ts'
import { temporaryDirectory } from '../embedded.ts'
import { openApiClient } from '../market/api-client.ts'
import { QUICK_GROUPS } from '../services/kafka.ts'
import { freePort, waitUntil } from '../services/programs.ts'
import { generationIn } from '../services/redis.ts'
import { openTestRelay, type TestRelay } from '../services/relay.ts'
import { runMarket } from '../services/service-process.ts'
import { type RoleProcess, Stack, type StackRole } from '../services/stack.ts'
import { Scraper } from './scraper.ts'

const PRELOAD = new URL('../abuse/shifted-clock.mjs', import.meta.url).href

export const WATCHED: readonly StackRole[] = [
  'projector',
  'actors',
  'ingest',
  'gateway',
  'webhooks',
]
/** A receiver that is not there. */
const RECEIVER = {
  name: 'shop',
  url: 'http://127.0.0.1:1/',
  secrets: [`whsec_${Buffer.alloc(32, 7).toString('base64')}`],
}
/** An attempt that is later than ten minutes is of a sender that did not run meanwhile. */
const CLOCK_STEP_MS = 540_000
/** The sender has read its clock again. */
const CLOCK_READ_MS = 300
const PARTITIONS = 4
const STOPPED_MS = 400
const RUNNING_MS = 100
const { token, entry } = makeOperatorToken('mia')
/** Watermarks come every 2 s, as they must for ages that count 15 times as much. */
const VARIABLES = {
  MAX_VERIFICATION_AGE_SECONDS: '8',
  RATE_LIMIT_IMPORT: '100000',
  ORDER_PARTITIONS: String(PARTITIONS),
  OPERATOR_TOKENS: entry,
  WEBHOOK_KEY: 'k'.repeat(32),
  WEBHOOK_LOOPBACK: 'true',
  WEBHOOK_ENDPOINTS: JSON.stringify([RECEIVER]),
}

/** A whole service on real parts, every role of it scraped, with clients that read. */
export class WatchedStack {
  readonly stack: Stack
  /** Ingest follows it. */
  readonly relay: TestRelay
  readonly scraper = new Scraper()
  readonly #program: Program
  readonly #directory = temporaryDirectory()
  readonly #reading: NodeJS.Timeout

  static async start(program: Program): Promise<WatchedStack> {
    const relay = await openTestRelay()
    const variables = { ...VARIABLES, NOSTR_RELAYS: relay.url }
    const stack = await Stack.start({ program, broker: QUICK_GROUPS, variables })
    const watched = new WatchedStack(program, stack, relay)
    try {
      watched.resetClock()
      await Promise.all(WATCHED.map((role) => watched.startRole(role)))
      watched.scraper.start()
      return watched
    } catch (error) {
      await watched.end()
      throw error
    }
  }

  private constructor(program: Program, stack: Stack, relay: TestRelay) {
    this.#program = program
    this.stack = stack
    this.relay = relay
    this.#reading = setInterval(() => void this.#read(), 250)
  }

  /** The sender of webhooks fails for so long: its clock goes on in steps, and it tries after each. */
  async failWebhooksFor(ms: number): Promise<void> {
    for (let at = CLOCK_STEP_MS; at < ms + CLOCK_STEP_MS; at += CLOCK_STEP_MS) {
      this.#shiftClock(at)
      await delay(CLOCK_READ_MS)
      await this.#retryWebhooks()
    }
  }

  /** The clock of the sender of webhooks is that of this machine again. */
  resetClock(): void {
    this.#shiftClock(0)
  }

  async startRole(
    role: StackRole,
    name: string = role,
    own: Record<string, string> = {},
  ): Promise<RoleProcess> {
    const shifted = { NODE_OPTIONS: `--import=${PRELOAD}`, CLOCK_SHIFT_FILE: this.#clockFile }
    const variables = role === 'webhooks' ? { ...shifted, ...own } : own
    const started = await this.stack.startRole(role, name, variables)
    this.scraper.scrape(started)
    return started
  }

  /** Ends a role whose pod is deleted. */
  async remove(name: string): Promise<void> {
    this.scraper.forget(name)
    await this.stack.role(name).end()
  }

  /** Ends every role at once, as their deletion does. */
  async removeAll(): Promise<void> {
    await Promise.all(this.#running().map(({ name }) => this.remove(name)))
  }

  /** A role whose start is refused; its pod stays. Returns its exit code. */
  async refused(
    role: StackRole,
    name: string,
    own: Record<string, string>,
  ): Promise<number | null> {
    const metricsPort = String(await freePort())
    this.scraper.scrape({ name, role, metricsAddress: `http://127.0.0.1:${metricsPort}` })
    const { code } = await runMarket(this.#program, ['start'], {
      ...this.stack.variables,
      ...own,
      ROLE: role,
      PORT: String(await freePort()),
      METRICS_PORT: metricsPort,
      DATA_DIR: join(this.#directory.path, name),
    })
    return code
  }

  /**
   * A process gets a fifth of a core, as from the limit of a cgroup: it is stopped for most of every half
   * second. Resolves when that is over.
   */
  async throttle(name: string, until: AbortSignal): Promise<void> {
    const process = this.stack.role(name)
    while (!until.aborted) {
      process.signal('SIGSTOP')
      await delay(STOPPED_MS)
      process.signal('SIGCONT')
      await delay(RUNNING_MS)
    }
  }

  /** The document of one order is no longer what was written. */
  async damageView(): Promise<void> {
    const { redis } = this.stack
    const docs = `{market}:${VIEWS}${await generationIn(redis)}:docs`
    const [id = ''] = await redis.admin.hkeys(docs)
    const document = await redis.admin.hgetBuffer(docs, id)
    if (!document) throw new Error('there is no order')
    // The head, which is what finds it, remains.
    await redis.admin.hset(docs, id, document.fill('x', document.indexOf('{')))
  }

  /** A command of an operator; throws with what it said if it fails. */
  async market(...args: string[]): Promise<void> {
    const { code, stdout, stderr } = await runMarket(this.#program, args, {
      ...this.stack.variables,
      DATA_DIR: join(this.#directory.path, 'operator'),
    })
    if (code !== 0) throw new Error(stdout + stderr)
  }

  /** How many entries each running role has logged: what comes later is read by `linesSince`. */
  mark(): Map<string, number> {
    return new Map(this.#running().map(({ name, log }) => [name, log().length]))
  }

  /** Entries of level `warn` or above since then, by role. */
  troubleSince(mark: ReadonlyMap<string, number>): Map<string, Record<string, unknown>[]> {
    return new Map(
      [...mark].map(([name, count]) => [
        name,
        this.stack
          .role(name)
          .log()
          .slice(count)
          .filter(({ level, msg }) => level !== 'info' || msg === 'a part is back'),
      ]),
    )
  }

  async end(): Promise<void> {
    clearInterval(this.#reading)
    await this.scraper.stop()
    await this.stack.end()
    await this.relay.stop()
    this.#directory.drop()
  }

  get #clockFile(): string {
    return join(this.#directory.path, 'clock')
  }

  #running(): RoleProcess[] {
    return [...this.stack.roles.values()].filter(({ hasEnded }) => !hasEnded)
  }

  #shiftClock(ms: number): void {
    writeFileSync(this.#clockFile, String(ms))
  }

  /** As an operator asks for it; resolves once each partition was tried. */
  async #retryWebhooks(): Promise<void> {
    const { log } = this.stack.role('webhooks')
    const before = log().length
    const { status } = await openApiClient(this.stack.role('gateway').address).post(
      `admin/webhooks/${RECEIVER.name}/retry`,
      undefined,
      { authorization: `Bearer ${token}` },
    )
    if (status !== 201) throw new Error(`the retry of webhooks was answered ${status}`)
    await waitUntil('each partition of the webhook was tried', async () => {
      const tried = log()
        .slice(before)
        .filter(({ msg }) => msg === 'webhook_failed')
      return new Set(tried.map(({ partition }) => partition)).size === PARTITIONS
    })
  }

  /** As readers do, at each gateway; what they are answered is in the metrics. */
  async #read(): Promise<void> {
    const signal = AbortSignal.timeout(5_000)
    const gateways = this.#running().filter(({ role }) => role === 'gateway')
    await Promise.all(
      gateways.map(({ address }) =>
        fetch(`${address}/api/market/orders`, { signal })
          .then((answer) => answer.arrayBuffer())
          .catch(() => undefined),
      ),
    )
  }
}
