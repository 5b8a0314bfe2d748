import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'

interface Step {
  run?: string
}
interface Job {
  'timeout-minutes': number
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
