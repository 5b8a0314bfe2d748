import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { commitOf } from '../../scripts/commit-of.ts'
import { type Bundle, bundleService, TEST_COMMIT } from '../support/bundle.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { runMarket, ServiceProcess } from '../support/services/service-process.ts'

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

describe('the commit of a build', () => {
  test('is unknown in a folder that is no clone', () => {
    expect(commitOf(directory.path)).toBe('unknown')
  })
})
