import { createHash } from 'node:crypto'
import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { OrderSummary } from '../../../src/schemas/order.ts'
import { type Market, openMarket } from '../market/market.ts'
import { type Visit, Visitor } from './visitor.ts'

export const OPERATOR = 'c0'.repeat(32)
export const EXPLORER_URL = 'https://explorer.example'
export const WAITS = { timeout: 20_000, interval: 200 }
/** Each would run, or break out of its element, if it became markup anywhere. */
export const HOSTILE = [
  '<img src=x onerror="window.ran=1">',
  '"><script>window.ran=1</script>',
  '<svg/onload=window.ran=1>',
  'javascript:window.ran=1',
  '</bdi></q><iframe srcdoc="<script>parent.ran=1</script>">',
  '{{constructor.constructor("window.ran=1")()}}',
]

/**
 * A whole service with its console, and Chromium: one of each for all acts of a run, since a service takes
 * ten seconds to start. Acts are registered before it is open.
 */
export class ConsoleSite {
  #market: Market | null = null
  #visitor: Visitor | null = null

  /** @throws Error before it is open */
  get market(): Market {
    return opened(this.#market)
  }

  async open(): Promise<void> {
    const sha256 = createHash('sha256').update(OPERATOR).digest('hex')
    this.#market = await openMarket({
      OPERATOR_TOKENS: `mia:${sha256}`,
      RATE_LIMIT_OPERATOR: '1000',
      EXPLORER_URL,
    })
    this.#visitor = await Visitor.start()
  }

  visit(path: string, options?: BrowserContextOptions): Promise<Visit> {
    return opened(this.#visitor).visit(`${this.market.address}${path}`, options)
  }

  /** A move on the devnet, as its page makes it. */
  async play(move: string, body: object): Promise<unknown> {
    const answer = await fetch(`${this.market.address}/devnet/${move}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(answer.status).toBe(201)
    return answer.json()
  }

  async closePages(): Promise<void> {
    await this.#visitor?.closePages()
  }

  async end(): Promise<void> {
    await this.#visitor?.end()
    await this.#market?.end()
  }
}

function opened<T>(part: T | null): T {
  if (part === null) throw new Error('the service has not started')
  return part
}

export const rowOf = (page: Page, { id }: Pick<OrderSummary, 'id'>): Locator =>
  page.locator(`[data-order="${id}"]`)
