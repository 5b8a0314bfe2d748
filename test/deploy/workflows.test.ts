import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'

interface Step {
  run?: string
  uses?: string
  env?: Record<string, string>
  with?: Record<string, unknown>
}
interface Job {
  'timeout-minutes': number
  needs?: string | string[]
  strategy?: { matrix: { include: { node: string; run: string }[] } }
  steps: Step[]
}

const jobOf = (file: string, name: string): Job =>
  parse(readFileSync(`.github/workflows/${file}`, 'utf8')).jobs[name]
const { scripts, engines } = JSON.parse(readFileSync('package.json', 'utf8'))
const versions = readFileSync('scripts/runtimes', 'utf8')
const versionOf = (name: string) =>
  new RegExp(`^readonly ${name}_VERSION=(.+)$`, 'm').exec(versions)?.[1]

describe('the fast lane', () => {
  const job = jobOf('ci.yml', 'fast')
  const rows = job.strategy?.matrix.include ?? []

  test('answers within ten minutes', () => {
    expect(job['timeout-minutes']).toBeLessThanOrEqual(10)
  })

  test('runs on the Node of the image, and on the oldest that is admitted', () => {
    const [image, oldest] = [versionOf('NODE_24'), versionOf('NODE_20')]
    expect(new Set(rows.map(({ node }) => node))).toEqual(new Set([image, oldest]))
    expect(engines.node).toBe(`>=${oldest?.replace(/\.\d+$/, '')}`)
  })

  test('runs what is there', () => {
    for (const command of rows.flatMap(({ run }) => run.split(' && '))) {
      const [, name] = /^npm (?:run )?([\w:-]+)/.exec(command) ?? []
      expect(name === undefined ? existsSync(command) : name in scripts, command).toBe(true)
    }
  })

  test('has every unit test on both, and every integration test on that of the image', () => {
    const commandsOn = (name: string) =>
      rows
        .filter(({ node }) => node === versionOf(name))
        .flatMap(({ run }) => run.split(' && '))
        .filter((command) => command.startsWith('npm ') && command.includes('test'))
    expect(commandsOn('NODE_24')).toEqual([
      'npm test',
      'npm run test:integration -- --shard 1/2',
      'npm run test:integration -- --shard 2/2',
    ])
    expect(commandsOn('NODE_20')).toEqual([
      'npm test',
      'npm run test:integration -- test/http test/clients test/roles/hang-ups',
    ])
  })
})

test('the nightly run is the whole', () => {
  const { steps } = jobOf('nightly.yml', 'whole')
  expect(steps.at(-1)?.run).toMatch(/ bash \.ci\/run$/)
})

test('the whole runs for any commit that another workflow names', () => {
  const { steps } = jobOf('nightly.yml', 'whole')
  expect(steps[0]).toMatchObject({ with: { ref: expect.stringContaining('inputs.ref') } })
})

test('the whole has the history, from which it builds the release that it upgrades', () => {
  const { steps } = jobOf('nightly.yml', 'whole')
  const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'))
  expect(checkouts.map((step) => step.with?.['fetch-depth'])).toEqual([0])
})

describe('a release', () => {
  const jobs = (name: string) => jobOf('release.yml', name)

  const published = /publish|push|skopeo copy|release create/
  const publishes = ({ run = '', uses = '', with: inputs }: Step) =>
    published.test(run) || uses.includes('pypi-publish') || inputs?.['push'] === true

  test('publishes nothing before all of it is made, and is tagged last', () => {
    for (const name of ['images', 'packages']) {
      expect(jobs(name).needs).toEqual(['named', 'whole', 'compose'])
      expect(jobs(name).steps.filter(publishes)).toEqual([])
    }
    expect(jobs('publish').needs).toEqual(['named', 'images', 'packages'])
    expect(jobs('publish').steps.filter(publishes)).toHaveLength(3)
    expect(jobs('tag').needs).toEqual(['named', 'publish'])
  })

  test('makes what it publishes of the commit that is named, and publishes by the scripts of main', () => {
    const refsOf = (name: string) =>
      jobs(name)
        .steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'))
        .map((step) => step.with?.['ref'])
    const commit = 'needs.named.outputs.commit'
    for (const name of ['compose', 'images', 'packages'])
      expect(refsOf(name)).toEqual([`\${{ ${commit} }}`])
    for (const name of ['publish', 'tag']) expect(refsOf(name)).toEqual([undefined])
  })

  test('names its commit in what it packs, whose files it has changed', () => {
    const packed = jobs('packages').steps.find(({ run }) => run?.startsWith('scripts/packages'))
    const commit = 'needs.named.outputs.commit'
    expect(packed?.env).toEqual({ MARKET_COMMIT: `\${{ ${commit} }}` })
  })

  test('leaves out what a run before it has published', () => {
    const { steps } = jobs('publish')
    const runs = steps.map(({ run }) => run)
    expect(runs).toContain('scripts/publish-packages ./packages')
    const python = steps.find(({ uses }) => uses?.startsWith('pypa/gh-action-pypi-publish@'))
    expect(python?.with).toMatchObject({ 'skip-existing': true })
  })

  test('asks for its login before anything is built', () => {
    const logins = jobs('named').steps.filter(({ run }) => run?.includes(' skopeo login '))
    expect(logins).toHaveLength(1)
  })
})

test('every action of others is named by its commit, with its version beside', () => {
  const named = readdirSync('.github/workflows').flatMap((file) =>
    readFileSync(`.github/workflows/${file}`, 'utf8')
      .split('\n')
      .filter((line) => line.includes('uses: ') && !line.includes('uses: ./')),
  )
  expect(named.length).toBeGreaterThan(15)
  for (const line of named) expect(line).toMatch(/uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
})
