import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from './support/embedded.ts'

interface Entry {
  version?: string
  integrity?: string
  link?: boolean
  optional?: boolean
  os?: string[]
  cpu?: string[]
}

/**
 * Native parts for other platforms, which the registry that the lock file was made with does not
 * mirror: what is installed there is not verified, and an image is built without it. Run
 * `scripts/complete-lock.ts` against one that has them, and take them off.
 */
const UNVERIFIED = ['@chdb/lib-darwin-arm64', '@chdb/lib-darwin-x64', '@chdb/lib-linux-arm64-gnu']

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, Entry>
}
const packages = Object.entries(lock.packages).filter(([key, { link }]) => key !== '' && !link)
const lacking = packages.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))

test('every package is installed by its hash, but for the platforms that are named', () => {
  const names = lacking.map(([key]) => key.replace(/^.*node_modules\//, ''))
  expect(names.toSorted()).toEqual(UNVERIFIED)
})

test('no package that is not verified is one of linux on x64 with glibc, where CI and the image run', () => {
  const isForImage = ([key, { os = ['linux'], cpu = ['x64'] }]: [string, Entry]) =>
    os.includes('linux') && cpu.includes('x64') && !key.endsWith('-musl')
  expect(packages.length).toBeGreaterThan(lacking.length)
  expect(lacking.filter(isForImage)).toEqual([])
  expect(lacking.filter(([, { optional }]) => !optional)).toEqual([])
})

test('each native part for linux on x64 has its twin for arm64, of the same version', () => {
  const forX64 = packages.filter(
    ([key, { optional, os = [], cpu = [] }]) =>
      optional && os.includes('linux') && cpu.includes('x64') && key.includes('x64'),
  )
  expect(forX64.length).toBeGreaterThan(5)
  for (const [key, { version }] of forX64) {
    const twin = lock.packages[key.replace('x64', 'arm64')]
    expect([key, twin?.version, twin?.cpu]).toEqual([key, version, ['arm64']])
  }
})

test('what has no hash is not left in an image; what is needed stops its build', () => {
  const { path, drop } = temporaryDirectory()
  const lockOf = (packages: Record<string, Entry>) =>
    writeFileSync(
      join(path, 'package-lock.json'),
      JSON.stringify({ packages: { '': {}, ...packages } }),
    )
  const build = () =>
    execFileSync(process.execPath, ['deploy/drop-unverified.js', path], { stdio: 'pipe' })
  for (const name of ['hashed', 'native'])
    mkdirSync(join(path, 'node_modules', name), { recursive: true })
  const hashed = { 'node_modules/hashed': { integrity: 'sha512-x' } }
  const elsewhere = { 'node_modules/elsewhere': { optional: true } }
  lockOf({ ...hashed, ...elsewhere, 'node_modules/native': {} })
  expect(build).toThrow(/node_modules\/native has no hash/)
  lockOf({ ...hashed, ...elsewhere, 'node_modules/native': { optional: true } })
  build()
  const isThere = (name: string) => existsSync(join(path, 'node_modules', name))
  expect([isThere('hashed'), isThere('native')]).toEqual([true, false])
  drop()
})
