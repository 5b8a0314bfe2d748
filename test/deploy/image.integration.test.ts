import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { ROLES, Variables } from '../../src/schemas/config/config.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { APART, BASE_VARIABLES } from './settings.ts'

describe('the image', () => {
  const dockerfile = readFileSync('Dockerfile', 'utf8')
  const entrypoint = readFileSync('deploy/entrypoint', 'utf8')
  const standing = (name: 'PORT' | 'METRICS_PORT') => Variables.shape[name].parse(undefined)

  test('listens on the ports that the code and the manifests name', () => {
    const settings = /^ENV (.+)$/m.exec(dockerfile)?.[1]?.split(' ') ?? []
    const variables = Object.fromEntries(settings.map((setting) => setting.split('=')))
    expect(variables).toEqual({
      NODE_ENV: 'production',
      HOST: BASE_VARIABLES['HOST'],
      PORT: String(standing('PORT')),
      METRICS_PORT: String(standing('METRICS_PORT')),
      DATA_DIR: BASE_VARIABLES['DATA_DIR'],
    })
    expect(dockerfile).toContain(`EXPOSE ${standing('PORT')} ${standing('METRICS_PORT')}\n`)
    expect(dockerfile).toContain(`VOLUME ${BASE_VARIABLES['DATA_DIR']}\n`)
    expect(Number(BASE_VARIABLES['PORT'])).toBe(standing('PORT'))
    expect(Number(BASE_VARIABLES['METRICS_PORT'])).toBe(standing('METRICS_PORT'))
    expect(dockerfile).toMatch(/^HEALTHCHECK .*\\\n {2}CMD \["node", .*\/livez`/m)
  })

  test('takes every role as its argument, and no user but one without rights', () => {
    const roles = /^ {2}(?<roles>all(?: \| [a-z]+)*)\)$/m.exec(entrypoint)?.groups?.['roles']
    expect(roles?.split(' | ')).toEqual([...ROLES])
    expect(dockerfile).toMatch(/^USER 1000:1000$/m)
    expect(dockerfile).toContain('CMD ["all"]')
  })

  test.each<[given: string[], role: string, command: string]>([
    [[], 'all', 'start'],
    ...APART.map((role): [string[], string, string] => [[role], role, 'start']),
    [['audit', '--help'], 'none', 'audit --help'],
  ])('starts what its arguments %j say', (given, role, command) => {
    const { path, drop } = temporaryDirectory()
    writeFileSync(join(path, 'node'), '#!/bin/sh\necho "$ROLE $*"\n', { mode: 0o755 })
    const said = execFileSync('sh', ['deploy/entrypoint', ...given], {
      env: { PATH: `${path}:${process.env['PATH']}`, ROLE: 'none' },
      encoding: 'utf8',
    })
    expect(said).toBe(`${role} --enable-source-maps /app/dist/cli/main.js ${command}\n`)
    drop()
  })

  test.each([
    ['PATH=/bin\0ROLE=projector\0HOME=/', 'projector'],
    ['PATH=/bin\0', ''],
  ])('a command beside what has %j has its role', (environ, role) => {
    const { path, drop } = temporaryDirectory()
    writeFileSync(join(path, 'node'), '#!/bin/sh\necho "$ROLE"\n', { mode: 0o755 })
    writeFileSync(join(path, 'environ'), environ)
    const said = execFileSync('sh', ['deploy/entrypoint', 'lag'], {
      env: { PATH: `${path}:${process.env['PATH']}`, FIRST_PROCESS: path },
      encoding: 'utf8',
    })
    expect(said).toBe(`${role}\n`)
    drop()
  })

  test('is of the pinned Node that .ci/run tests on, beside the oldest that the package admits, without scripts of packages', () => {
    const [, image, version] =
      /^FROM (node):([0-9]+\.[0-9]+\.[0-9]+)-bookworm-slim(?:@sha256:[0-9a-f]{64})? AS base$/m.exec(
        dockerfile,
      ) ?? []
    expect(image).toBe('node')
    const runtimes = readFileSync('scripts/runtimes', 'utf8')
    expect(runtimes).toContain(`\nreadonly NODE_24_VERSION=${version}\n`)
    const [, major, minor] = /^readonly NODE_20_VERSION=(\d+)\.(\d+)\.0$/m.exec(runtimes) ?? []
    expect(manifest.engines.node).toBe(`>=${major}.${minor}`)
    const froms = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, from]) => from)
    // Dependabot sees an image only where a line names it.
    expect(new Set(froms.slice(1))).toEqual(new Set(['base']))
    for (const [line] of dockerfile.matchAll(/npm ci.*/g))
      expect(line).toContain('--ignore-scripts')
  })

  test('copies existing files that .dockerignore does not exclude', () => {
    const kept = readFileSync('.dockerignore', 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('!'))
    const copies = [...dockerfile.matchAll(/^COPY (?:--chmod=\S+ )?(?!--from)(.+) \S+$/gm)]
    const sources = new Set(copies.flatMap(([, names = '']) => names.split(' ')))
    expect(kept.map((line) => line.slice(1)).sort()).toEqual([...sources].sort())
  })
})

test('the docs run images that they have built', () => {
  const page = readFileSync('docs/kubernetes.md', 'utf8')
  const built = [...page.matchAll(/^docker build .*-t (\S+) \./gm)].map(([, name]) => name)
  const runs = page.match(/^docker run .*$/gm) ?? []
  expect(runs.length).toBeGreaterThan(1)
  for (const run of runs)
    expect(built.some((name) => run.split(' ').includes(name ?? ''))).toBe(true)
})
