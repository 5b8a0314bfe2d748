import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import releases from '../../../releases.json' with { type: 'json' }
import type { ApiClient } from '../market/api-client.ts'
import { ROOT } from '../tree.ts'

/** What a release answered before its store was packed. */
export interface ReleaseAnswers {
  /** An order that nothing changes any more. */
  closed: string
  /** An order that was LIVE and ready to buy. */
  live: string
  /** A hidden order. */
  hidden: string
  /** Every order that it listed. */
  listed: string[]
  /** By path; each of them is of what nothing changes any more. */
  answers: Record<string, unknown>
}

/** A key of Redis and what DUMP answered of it, base64. */
export interface RedisKey {
  key: string
  dump: string
}

/** What a release wrote, kept so that each later one is tested on it. */
export interface ReleaseFixture {
  version: string
  /** A DATA_DIR of `ROLE=all` on the devnet, packed, and what was answered from it. */
  dataDir: string
  dataDirAnswers: string
  /** A backup of its log in Kafka, the keys of its Redis, and what was answered from these. */
  log: string
  redis: string
  logAnswers: string
}

export const fixtureOf = (version: string): ReleaseFixture => {
  const folder = join(ROOT, 'test/fixtures/releases', version)
  return {
    version,
    dataDir: join(folder, 'data-dir.tar.gz'),
    dataDirAnswers: join(folder, 'data-dir.json'),
    log: join(folder, 'log'),
    redis: join(folder, 'redis.json.gz'),
    logAnswers: join(folder, 'log.json'),
  }
}

/** The fixture of each release; the newest first. Throws for a release without one. */
export const releaseFixtures = (): ReleaseFixture[] =>
  releases.map(({ version }) => {
    const fixture = fixtureOf(version)
    const missing = Object.values(fixture).filter((path) => path !== version && !existsSync(path))
    if (missing.length > 0) throw new Error(`${version} has no fixture: ${missing}`)
    return fixture
  })

export const redisKeysIn = (path: string): RedisKey[] =>
  JSON.parse(gunzipSync(readFileSync(path)).toString())

export const answersIn = (path: string): ReleaseAnswers => JSON.parse(readFileSync(path, 'utf8'))

/** What spent the closed order. Throws without one. */
export function spenderIn({ answers }: ReleaseAnswers): string {
  const [, txid] = /"spendTxid":"([0-9a-f]{64})"/.exec(JSON.stringify(answers)) ?? []
  if (txid === undefined) throw new Error('no order of the fixture was spent')
  return txid
}

/** Keys are made anew where there are none, and so are locks. */
export const pack = (folder: string, packed: string): void => {
  const left = ['--exclude=*.key', '--exclude=*-lock', '--exclude=query-index']
  execFileSync('tar', ['-czf', packed, ...left, '--owner=0', '--group=0', '-C', folder, '.'])
}

export const unpack = (packed: string, folder: string): void => {
  execFileSync('tar', ['-xzf', packed, '-C', folder])
}

/** An order, its activity and its versions. */
export const pathsOf = (id: string): string[] => [
  `orders/${id}`,
  `activity?orderId=${id}`,
  `orders/${id}/history`,
]

export async function answersTo(
  market: Pick<ApiClient, 'get'>,
  paths: readonly string[],
): Promise<Record<string, unknown>> {
  const answers = await Promise.all(
    paths.map(async (path) => [path, (await market.get(path)).body] as const),
  )
  return Object.fromEntries(answers)
}
