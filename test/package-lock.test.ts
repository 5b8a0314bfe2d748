import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

interface Entry {
  integrity?: string
  link?: boolean
  optional?: boolean
  os?: string[]
  cpu?: string[]
}

/**
 * Native parts for other platforms, which the registry that the lock file was made with does not
 * mirror: what is installed there is not verified. Run `scripts/complete-lock.ts` against one that has
 * them, and take them off.
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
