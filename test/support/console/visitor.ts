import {
  type Browser,
  type BrowserContextOptions,
  type ConsoleMessage,
  chromium,
  type Page,
} from 'playwright-core'
import { MESSAGE_PATHS } from '../../../src/http/app.ts'
import { runtimePath } from '../services/programs.ts'

export interface Visit {
  page: Page
  /** Errors in the browser's console. */
  complaints: string[]
}

/** Chromium, and the pages that a test has open in it. */
export class Visitor {
  readonly #browser: Browser
  readonly #open = new Set<{ close(): Promise<void> }>()

  private constructor(browser: Browser) {
    this.#browser = browser
  }

  static async start(): Promise<Visitor> {
    // Tests may listen on ports that Chromium blocks.
    const options = ['--no-sandbox', '--disable-gpu', '--explicitly-allowed-ports=10080']
    return new Visitor(
      await chromium.launch({
        executablePath: runtimePath('CHROMIUM'),
        args: [...options, '--disable-background-networking'],
      }),
    )
  }

  async blank(options: BrowserContextOptions = {}): Promise<Visit> {
    const context = await this.#browser.newContext({
      viewport: { width: 1_280, height: 900 },
      ...options,
    })
    this.#open.add(context)
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('console', (message) => {
      const isComplaint = message.type() === 'error' || message.type() === 'warning'
      if (isComplaint && !isShed(message) && !isUnshown(message)) complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(error.message))
    return { page, complaints }
  }

  /** A page, once its heading is visible. */
  async visit(address: string, options: BrowserContextOptions = {}): Promise<Visit> {
    const visit = await this.blank(options)
    await visit.page.goto(address)
    const heading = visit.page.locator('h1').waitFor()
    await heading.catch(async (cause: unknown) => {
      const seen = [...visit.complaints, await visit.page.content()].join('\n')
      throw new Error(`no heading at ${address}\n${seen}`, { cause })
    })
    return visit
  }

  /** Of the test that ends. */
  async closePages(): Promise<void> {
    for (const one of this.#open) await one.close()
    this.#open.clear()
  }

  end(): Promise<void> {
    return this.#browser.close()
  }
}

/** Pages say in words that something sold is not shown; the browser logs it as a failure. */
function isUnshown(message: ConsoleMessage): boolean {
  const isContent = /\/inscriptions\/[^/]+\/content$/.test(message.location().url)
  return isContent && message.text().includes('status of 404')
}

/**
 * On a busy machine the service sheds a request, which the page repeats; the browser logs that it
 * was refused, or closed where the contract has no answer that says so.
 */
function isShed(message: ConsoleMessage): boolean {
  const text = message.text()
  if (text.includes('status of 503')) return true
  const { url } = message.location()
  return text.includes('ERR_EMPTY_RESPONSE') && MESSAGE_PATHS(new URL(url).pathname)
}
