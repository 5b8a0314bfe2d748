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

  test('has every test on both', () => {
    for (const node of new Set(rows.map((row) => row.node))) {
      const shards = rows.filter((row) => row.node === node && row.run.startsWith('npm test'))
      expect(shards.map(({ run }) => run)).toEqual([
        'npm test -- --shard 1/2',
        'npm test -- --shard 2/2',
      ])
    }
  })
})

test('the nightly run is the whole', () => {
  const { steps } = jobOf('nightly.yml', 'whole')
  expect(steps.at(-1)?.run).toMatch(/ bash \.ci\/run$/)
})
