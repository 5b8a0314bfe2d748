import { rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { commitOf } from '../../scripts/commit-of.ts'
import { digestOf } from '../../scripts/digest-of.ts'
import { type Bundle, bundleService, TEST_COMMIT } from '../support/bundle.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { tupleAt } from '../support/pairing/pairing-pipeline.ts'
import { runMarket, ServiceProcess } from '../support/services/service-process.ts'
import { ROOT } from '../support/tree.ts'

// A built service says which build it is, wherever an operator may look for it.

const BUNDLED_WITHIN_MS = 60_000
const { version } = manifest
const { node } = process.versions

let bundle: Bundle
const directory = temporaryDirectory()
beforeAll(async () => {
  bundle = await bundleService()
}, BUNDLED_WITHIN_MS)
afterAll(() => {
  bundle.drop()
  directory.drop()
})

test('market --version prints version, commit and Node in one line', async () => {
  const { code, stdout } = await runMarket(bundle, ['--version'], {})
  expect([code, stdout]).toEqual([0, `market ${version}, commit ${TEST_COMMIT}, Node ${node}\n`])
})

test('the first line of the log and the metric market_build_info name them', async () => {
  await using service = new ServiceProcess(bundle, ['start'], {
    DATA_DIR: directory.path,
    PORT: '0',
    METRICS_PORT: '0',
    PAIRING_ENABLED: 'false',
    CIRCLES_ENABLED: 'false',
  })
  await service.ready()
  const build = { version, commit: TEST_COMMIT, node }
  expect(service.log()[0]).toMatchObject({ msg: 'starting', role: 'all', ...build })
  const address = /^ {2}metrics +(\S+)$/m.exec(service.stdout)?.[1] ?? ''
  const metrics = await fetch(address).then((answer) => answer.text())
  const labels = `version="${version}",commit="${TEST_COMMIT}",node="${node}"`
  expect(metrics).toContain(`\nmarket_build_info{${labels}} 1\n`)
})

describe('the release that a pipeline signs', () => {
  /** Names the release in the envelope of a tuple, which `market pairing sign` prints. */
  const signedBy = async (program: Bundle, variables: Record<string, string> = {}) => {
    const tuple = join(directory.path, 'tuple.json')
    writeFileSync(tuple, JSON.stringify(tupleAt(5)))
    const key = { PAIRING_KEY_ID: 'a-1', PAIRING_PRIVATE_KEY: '01'.repeat(32) }
    const args = ['pairing', 'sign', tuple]
    const { stdout, stderr } = await runMarket(program, args, { ...key, ...variables })
    expect(stderr).toBe('')
    return (JSON.parse(stdout) as { release: object }).release
  }
  const ownDigest = digestOf(join(ROOT, 'scripts'))
  let built: Bundle
  beforeAll(() => {
    // `npm run build` writes the digest beside the programs; other tests share this bundle without.
    built = bundle.without('chdb')
    writeFileSync(join(dirname(built.market), 'digest'), `${ownDigest}\n`)
  })
  afterAll(() => rmSync(dirname(built.market), { recursive: true }))

  test('is that of the build: its version, its commit and the digest of its programs', async () => {
    expect(await signedBy(built)).toEqual({
      ...{ name: 'market', version, commit: TEST_COMMIT, digest: ownDigest },
    })
  })

  test('is otherwise what the variables say', async () => {
    const said = {
      PAIRING_RELEASE_NAME: 'another',
      PAIRING_RELEASE_DIGEST: `sha256:${'0'.repeat(64)}`,
    }
    expect(await signedBy(built, said)).toEqual({
      ...{ name: 'another', version, commit: TEST_COMMIT, digest: said.PAIRING_RELEASE_DIGEST },
    })
  })
})

describe('the commit of a build', () => {
  test('is unknown in a folder that is no clone', () => {
    expect(commitOf(directory.path)).toBe('unknown')
  })
})
