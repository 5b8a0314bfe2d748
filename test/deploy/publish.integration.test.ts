import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { temporaryDirectory } from '../support/embedded.ts'

const room = temporaryDirectory()
afterAll(() => room.drop())

test('a release is finished by another run: what npm has already is not published again', () => {
  const packages = join(room.path, 'packages')
  for (const name of ['one', 'two']) {
    mkdirSync(join(packages, name, 'package'), { recursive: true })
    const manifest = JSON.stringify({ name: `psbt-${name}`, version: '1.2.3' })
    writeFileSync(join(packages, name, 'package/package.json'), manifest)
    execFileSync('tar', ['-czf', join(packages, `${name}.tgz`), 'package'], {
      cwd: join(packages, name),
    })
  }
  const there = createHash('sha512').update(readFileSync(join(packages, 'one.tgz')))
  const published = join(room.path, 'published')
  const npm = join(room.path, 'npm')
  writeFileSync(
    npm,
    `#!/bin/sh
case "$*" in
  "view psbt-one@1.2.3 dist.integrity") echo "sha512-${there.digest('base64')}" ;;
  view*) echo 'npm error code E404' >&2; exit 1 ;;
  publish*) echo "$*" >>"${published}" ;;
esac
`,
    { mode: 0o755 },
  )
  const env = { ...process.env, PATH: `${room.path}:${process.env['PATH']}` }
  expect(existsSync(published)).toBe(false)
  execFileSync('scripts/publish-packages', [packages], { env })
  expect(readFileSync(published, 'utf8')).toBe(
    `publish --provenance --access public ${join(packages, 'two.tgz')}\n`,
  )
})

test('the images of both platforms get one tag, and the digest of that', () => {
  const tools = join(room.path, 'tools')
  const asked = join(room.path, 'asked')
  mkdirSync(tools)
  for (const tool of ['skopeo', 'docker'])
    writeFileSync(
      join(tools, tool),
      `#!/bin/sh
echo "${tool} $*" >>"${asked}"
case "$*" in *inspect*) echo "sha256:of-$(expr "$*" : '.*:')" ;; esac
`,
      { mode: 0o755 },
    )
  const env = { ...process.env, PATH: `${tools}:${process.env['PATH']}` }
  const words = ['images', 'registry.example/market', '1.2.3']
  const printed = execFileSync('scripts/publish-images', words, { env, encoding: 'utf8' })
  expect(printed).toMatch(
    /^registry\.example\/market:1\.2\.3@sha256:\S+\nregistry\.example\/market:1\.2\.3-slim@sha256:\S+\n$/,
  )
  const calls = readFileSync(asked, 'utf8').trim().split('\n')
  const copies = calls.filter((call) => call.startsWith('skopeo copy'))
  expect(copies).toHaveLength(4)
  expect(copies[3]).toMatch(
    /oci-archive:images\/image-slim-arm64\.tar docker:\/\/registry\.example\/market:1\.2\.3-slim-arm64$/,
  )
  expect(calls.filter((call) => call.includes('create'))).toEqual(
    ['', '-slim'].map((suffix) => {
      const tag = `registry.example/market:1.2.3${suffix}`
      return `docker buildx imagetools create --tag ${tag} ${tag}-amd64 ${tag}-arm64`
    }),
  )
})
