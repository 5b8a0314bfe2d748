import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { curlOf } from '../../guide/reference/curl-sample.ts'
import { operationsOf, readDescription } from '../../guide/reference/description.ts'
import { pythonOf } from '../../guide/reference/python-sample.ts'
import { callOf, ORIGIN } from '../../guide/reference/sample-call.ts'
import { typescriptOf } from '../../guide/reference/typescript-sample.ts'
import { EXAMPLE_REQUESTS } from '../../src/http/openapi/examples.ts'
import { EXAMPLE_TOKEN, type ExampleRun, openExampleRun } from '../support/market/example-run.ts'
import { ROOT } from '../support/tree.ts'

// The samples of the reference, as its pages show them.

const CLIENT = join(ROOT, 'clients/typescript')
const run = promisify(execFile)
/** Starts a service and bundles a program, on a machine that may be busy. */
const STARTED_WITHIN_MS = 180_000

const description = readDescription()
const calls = new Map(
  operationsOf(description).map((one) => [one.operationId, callOf(one, description)] as const),
)
const callOfId = (id: string) => {
  const call = calls.get(id)
  if (!call) throw new Error(`${id} is not described`)
  return call
}

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'market-samples-'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** All samples in TypeScript as one module: a function for each. */
function programOfAll(): string {
  const imports = new Set<string>()
  const functions = [...calls].map(([id, call]) => {
    const lines = typescriptOf(call).split('\n')
    const imported = lines.filter((line) => line.startsWith('import '))
    if (imported.length === 0) throw new Error(`${id} imports nothing`)
    for (const line of imported) imports.add(line)
    const body = lines.slice(imported.length)
    return `export async function ${id}() {\n${body.join('\n')}\n}\n`
  })
  return [...imports, ...functions].join('\n')
}

test('every sample in TypeScript has the types of the client', () => {
  const file = join(folder, 'types.ts')
  writeFileSync(file, programOfAll())
  const { config } = ts.readConfigFile(join(CLIENT, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, CLIENT)
  const paths = { 'psbt-market-client': [join(CLIENT, 'src/index.ts')] }
  // With the types of Node, and without a rule that only this project has.
  const asOfReader = {
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
    noPropertyAccessFromIndexSignature: false,
  }
  const checked = ts.createProgram([file], { ...options, ...asOfReader, paths })
  const problems = ts.getPreEmitDiagnostics(checked).map(({ messageText, start, file: of }) => {
    const text = ts.flattenDiagnosticMessageText(messageText, '\n')
    return `${of?.text.slice(start, (start ?? 0) + 80)}: ${text}`
  })
  expect(problems).toEqual([])
})

test('every sample in Python is of its grammar', async () => {
  const file = join(folder, 'all.py')
  writeFileSync(file, [...calls.values()].map(pythonOf).join('\n\n'))
  await run('python3', ['-m', 'py_compile', file])
})

describe('on the devnet', () => {
  let service: ExampleRun
  let samples: Record<string, () => Promise<void>>
  /** Both samples of an operation are one request to the service: the second is answered alike. */
  let key = ''
  beforeAll(async () => {
    service = await openExampleRun()
    const outfile = join(folder, 'samples.mjs')
    await build({
      stdin: { contents: programOfAll().replaceAll(ORIGIN, service.address), loader: 'ts' },
      alias: { 'psbt-market-client': join(CLIENT, 'src/index.ts') },
      outfile,
      absWorkingDir: ROOT,
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'error',
    })
    samples = await import(outfile)
    vi.stubEnv('TOKEN', EXAMPLE_TOKEN)
    const { fetch } = globalThis
    vi.stubGlobal('fetch', (url: string, init: RequestInit = {}) => {
      const headers = new Headers(init.headers)
      if (init.method === 'POST') headers.set('idempotency-key', key)
      return fetch(url, { ...init, headers })
    })
  }, STARTED_WITHIN_MS)
  afterAll(async () => {
    vi.unstubAllEnvs()
    vi.unstubAllGlobals()
    await service.end()
  })

  test('what an inscription shows is read by its sample', async () => {
    const said = vi.spyOn(console, 'log').mockImplementation(() => {})
    try {
      await samples['readContent']?.()
      expect(said.mock.calls).toEqual([[expect.stringMatching(/^text\/plain/), expect.any(Number)]])
    } finally {
      said.mockRestore()
    }
  })

  // In the order of recording: some change what others read.
  test.each(Object.keys(EXAMPLE_REQUESTS))('%s answers its samples', async (id) => {
    key = createHash('sha256').update(id).digest('hex')
    const call = callOfId(id)
    const command = curlOf(call).replace(ORIGIN, service.address)
    const kept = call.operation.method === 'post' ? ` -H 'idempotency-key: ${key}'` : ''
    const env = { ...process.env, TOKEN: EXAMPLE_TOKEN }
    const { stdout } = await run('sh', ['-c', `${command}${kept} --fail-with-body`], { env })
    const answer: unknown = JSON.parse(stdout)
    expect(answer).toBeDefined()
    const said = vi.spyOn(console, 'log').mockImplementation(() => {})
    try {
      await samples[id]?.()
      const lists = call.isList ? Object.values(Object(answer)).filter(Array.isArray) : []
      const isEmpty = call.isList && lists.every((list) => list.length === 0)
      expect(said.mock.calls.length > 0, id).toBe(!isEmpty)
    } finally {
      said.mockRestore()
    }
  })
})
