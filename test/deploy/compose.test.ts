import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { readStartConfig } from '../../src/cli/terminal/environment.ts'
import { variablesIn } from './manifests.ts'
import { APART, containerOf, FILES, VERSION } from './settings.ts'

const Service = z.object({
  image: z.string().optional(),
  command: z.union([z.string(), z.array(z.string())]).optional(),
  // Null: that of the shell.
  environment: z.record(z.string(), z.union([z.string(), z.number(), z.null()])).default({}),
  env_file: z.array(z.string()).default([]),
  ports: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  build: z.union([z.string(), z.object({ dockerfile_inline: z.string() })]).optional(),
})
const Compose = z.object({
  services: z.record(z.string(), Service),
  volumes: z.record(z.string(), z.null()),
})

const { services, volumes } = Compose.parse(
  parse(readFileSync('compose.yaml', 'utf8'), { merge: true }),
)
const service = (name: string) => services[name]!
const K8S = 'deploy/k8s/'

/** What the file itself sets. */
const ownOf = (environment: z.infer<typeof Service>['environment']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value === null ? [] : [[name, String(value)]],
    ),
  )

describe('compose.yaml', () => {
  test.each(APART)('starts %s with what its workload on Kubernetes has', (role) => {
    const { image, command, env_file, environment } = service(role)
    expect([image, command]).toEqual([`market:${VERSION}`, [role]])
    const maps = containerOf(role).envFrom.map(({ configMapRef }) => FILES[configMapRef.name])
    expect(env_file).toEqual(maps.map((file) => `${K8S}base/${file}`))
    const settings = env_file.map((file) => variablesIn(file.slice(K8S.length)))
    const config = readStartConfig({
      ROLE: role,
      ...Object.assign({}, ...settings),
      ...ownOf(environment),
    })
    expect(config.ROLE).toBe(role)
  })

  test.each(APART)('gives %s the operators of the shell where its workload has them', (role) => {
    const has = containerOf(role).env.some(({ name }) => name === 'OPERATOR_TOKENS')
    expect(service(role).environment['OPERATOR_TOKENS']).toBe(has ? null : undefined)
  })

  test('has every part under the name in the settings', () => {
    const hosts = ['market', 'market-chain', 'market-stores'].flatMap((map) =>
      Object.values(variablesIn(`base/${FILES[map]}`)).flatMap((value) =>
        [...value.matchAll(/(?:\/\/|^)([a-z-]+):\d+/g)].map(([, host = '']) => host),
      ),
    )
    const aliases = readFileSync('compose.yaml', 'utf8').match(/aliases: \[(.+)\]/)?.[1] ?? ''
    expect(new Set(hosts).size).toBe(5)
    for (const host of hosts) expect([...Object.keys(services), aliases]).toContain(host)
  })

  test('has a node that is synchronised with no block but the first, and days after the last', () => {
    // Core 31 says `"initialblockdownload": false` with it; the first block of regtest is of 2011.
    const option = service('bitcoind')
      .command?.toString()
      .match(/-maxtipage=(\d+)/)?.[1]
    const firstBlockSeconds = 1_296_688_602
    expect(Number(option)).toBeGreaterThan(Date.now() / 1_000 - firstBlockSeconds)
  })

  test('is reachable from this machine only', () => {
    const ports = Object.values(services).flatMap(({ ports }) => ports)
    expect(ports.length).toBeGreaterThan(0)
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/)
  })

  test('keeps what must persist in named volumes', () => {
    const used = Object.values(services).flatMap((one) =>
      one.volumes.map((volume) => volume.split(':')[0]),
    )
    expect(used.sort()).toEqual(Object.keys(volumes).sort())
  })

  test('has the Kafka and the ord that the tests run on, and logs in where they listen', () => {
    const script = readFileSync('scripts/services', 'utf8')
    const versionOf = (name: string) => new RegExp(`^readonly ${name}=(.+)$`, 'm').exec(script)?.[1]
    expect(service('kafka').image).toBe(`apache/kafka:${versionOf('KAFKA_VERSION')}`)
    expect(JSON.stringify(service('ord').build)).toContain(`--version ${versionOf('ORD_VERSION')} `)
    const password = service('gateway').environment['BITCOIN_RPC_PASSWORD']
    expect(service('bitcoind').command).toContain(`-rpcpassword=${password}`)
    expect(service('ord').command).toContain(`--bitcoin-rpc-password=${password}`)
    expect(service('clickhouse').environment['CLICKHOUSE_PASSWORD']).toBe(
      service('gateway').environment['CLICKHOUSE_PASSWORD'],
    )
  })
})

test('the Node of .nvmrc is that of the image and of the development container', () => {
  const version = readFileSync('.nvmrc', 'utf8').trim()
  for (const file of ['Dockerfile', '.devcontainer/Dockerfile'])
    expect(readFileSync(file, 'utf8')).toContain(`node:${version}-bookworm`)
})
