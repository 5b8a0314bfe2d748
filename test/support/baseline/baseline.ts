import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ApiClient } from '../market/api-client.ts'

const FIXTURE = new URL('../../fixtures/baseline/', import.meta.url)

/** A DATA_DIR that the baseline wrote, packed. */
export const PACKED = fileURLToPath(new URL('data-dir.tar.gz', FIXTURE))
export const ANSWERS = fileURLToPath(new URL('answers.json', FIXTURE))

/** What it answered of an order that nothing changes any more. */
export interface BaselineAnswers {
  /** The id of that order. */
  closed: string
  /** The id of an order that was LIVE. */
  live: string
  /** By path. */
  answers: Record<string, unknown>
}

export const baselineAnswers = (): BaselineAnswers => JSON.parse(readFileSync(ANSWERS, 'utf8'))

/** Keys are made anew where there are none, and so are the locks of LMDB. */
export const pack = (folder: string): void => {
  const left = ['--exclude=*.key', '--exclude=*-lock', '--exclude=query-index']
  execFileSync('tar', ['-czf', PACKED, ...left, '--owner=0', '--group=0', '-C', folder, '.'])
}

export const unpack = (folder: string): void => {
  execFileSync('tar', ['-xzf', PACKED, '-C', folder])
}

/** The order, its activity and its versions. */
export async function answersOf(market: ApiClient, id: string): Promise<Record<string, unknown>> {
  const paths = [`orders/${id}`, `activity?orderId=${id}`, `orders/${id}/history`]
  const answers = await Promise.all(
    paths.map(async (path) => [path, (await market.get(path)).body]),
  )
  return Object.fromEntries(answers)
}
