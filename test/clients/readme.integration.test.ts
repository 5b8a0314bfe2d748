import { execFile } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ExampleRun, openExampleRun } from '../support/market/example-run.ts'
import { ROOT } from '../support/tree.ts'

const PACKAGE = join(ROOT, 'clients/typescript')
const MODULES = {
  'psbt-market-client': join(PACKAGE, 'src/index.ts'),
  'psbt-market-client/webhooks': join(PACKAGE, 'src/webhooks.ts'),
}
const ORIGIN = 'https://market.example'

const readme = readFileSync(join(PACKAGE, 'README.md'), 'utf8')
const blocks = [...readme.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, code = '']) => code)

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'market-examples-'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** All blocks as one program, with imports first. */
function program(after = ''): string {
  const lines = blocks.join('\n').split('\n')
  const isImport = (line: string) => line.startsWith('import ')
  const [imports, others] = [lines.filter(isImport), lines.filter((line) => !isImport(line))]
  return [...imports, ...others, after].join('\n')
}

/** Hands a signed delivery to the README's `receive`, and then an unsigned one. */
function deliveries(): string {
  const [, key = ''] = /whsec_([\w+/=]+)/.exec(readme) ?? []
  const data = { orderId: 'ab'.repeat(32), seq: 4 }
  const body = JSON.stringify({ type: 'order.changed', data })
  const seconds = String(Math.floor(Date.now() / 1_000))
  const signature = createHmac('sha256', Buffer.from(key, 'base64'))
    .update(`msg_1.${seconds}.${body}`)
    .digest('base64')
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': seconds,
    'webhook-signature': `v1,${signature}`,
  }
  return `
    const delivery = (headers: Record<string, string>) =>
      receive(new Request('http://127.0.0.1/', { method: 'POST', headers, body: ${JSON.stringify(body)} }))
    console.log('received:', (await delivery(${JSON.stringify(headers)})).status, (await delivery({})).status)
  `
}

test('the examples of the README are TypeScript without anything from Node', () => {
  const file = join(folder, 'types.ts')
  writeFileSync(file, program('void receive\n'))
  const { config } = ts.readConfigFile(join(PACKAGE, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, PACKAGE)
  const paths = Object.fromEntries(Object.entries(MODULES).map(([name, path]) => [name, [path]]))
  const checked = ts.createProgram([file], { ...options, paths })
  const problems = ts.getPreEmitDiagnostics(checked).map(({ messageText, start, file: of }) => {
    const text = ts.flattenDiagnosticMessageText(messageText, '\n')
    return `${of?.text.slice(start, (start ?? 0) + 40)}: ${text}`
  })
  expect(problems).toEqual([])
})

describe('on a devnet', () => {
  let run: ExampleRun
  beforeAll(async () => {
    run = await openExampleRun()
  })
  afterAll(() => run.end())

  test('the examples of the README do what they say', async () => {
    const file = join(folder, 'program.mjs')
    await build({
      stdin: {
        contents: program(deliveries()).replaceAll(ORIGIN, run.address),
        loader: 'ts',
        resolveDir: folder,
      },
      alias: MODULES,
      outfile: file,
      bundle: true,
      format: 'esm',
      platform: 'neutral',
      mainFields: ['module', 'main'],
      logLevel: 'error',
    })
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [file])
    const said = stdout.trim().split('\n')
    const of = (what: string) => said.filter((line) => line.startsWith(`${what}: `))
    expect(stderr).toBe('')
    expect(of('health')).toEqual(['health: active on regtest'])
    expect(of('live').length).toBeGreaterThan(2)
    expect(of('sold')).toHaveLength(2)
    expect(of('page').at(-1)).toMatch(/^page: \d+, then nothing$/)
    expect(of('imported')).toEqual(['imported: true LIVE'])
    expect(of('error')[0]).toMatch(/^error: ORDER_NOT_FOUND in request [\w-]{36}$/)
    expect(of('book')[0]).toMatch(/^book: \d+ orders, begun$/)
    expect(of('webhook')).toEqual([`webhook: msg_1 of ${'ab'.repeat(32)}, change 4`])
    expect(of('received')).toEqual(['received: 204 400'])
    expect(of('verified')[0]).toMatch(/^verified: \d+ at height \d+, \d+(\.\d+)? ms old$/)
  })
})
