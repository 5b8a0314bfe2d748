import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readStartConfig } from '../../src/cli/terminal/environment.ts'
import { SECRET_VARIABLES, VARIABLE_NAMES } from '../../src/schemas/config/config.ts'
import { settingsIn } from '../support/docs/settings.ts'
import { ROOT } from '../support/tree.ts'

const FOLDER = 'deploy/systemd'
const UNITS = ['bitcoind', 'ord', 'market']

const fileOf = (name: string): string => readFileSync(join(ROOT, FOLDER, name), 'utf8')
const page = readFileSync(join(ROOT, 'docs/mainnet.md'), 'utf8')
const settings = settingsIn(fileOf('market.env'))

/** The values of a unit, by section and name. */
function unitOf(name: string): Record<string, Record<string, string>> {
  const sections: Record<string, Record<string, string>> = {}
  let section: Record<string, string> = {}
  for (const line of fileOf(`${name}.service`).split('\n')) {
    const [, title] = /^\[(\w+)\]$/.exec(line) ?? []
    const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? []
    if (title !== undefined) section = sections[title] = {}
    else if (key !== undefined && value !== undefined) section[key] = value
    else expect(line).toMatch(/^$|^# /)
  }
  return sections
}

const hardeningOf = (name: string): string => {
  const text = fileOf(`${name}.service`)
  return text.slice(text.indexOf('\n# Hardening'))
}

describe.each(UNITS)('the unit of %s', (name) => {
  const { Unit, Service, Install } = unitOf(name)

  test('starts a program as a user of its own, with a folder of its own', () => {
    expect(Unit).toMatchObject({ Wants: 'network-online.target' })
    expect(Service).toMatchObject({
      User: name === 'bitcoind' ? 'bitcoin' : name,
      StateDirectory: name,
      StateDirectoryMode: '0700',
      ExecStart: expect.stringMatching(new RegExp(`^/usr/local/bin/${name} `)),
      Restart: 'on-failure',
    })
    expect(Install).toEqual({ WantedBy: 'multi-user.target' })
  })

  test('has the hardening of the others', () => {
    expect(hardeningOf(name)).toBe(hardeningOf('market'))
    expect(Service).toMatchObject({
      NoNewPrivileges: 'true',
      CapabilityBoundingSet: '',
      ProtectSystem: 'strict',
      ProtectHome: 'true',
      UMask: '0077',
    })
  })

  test('has no secret, but names a file of them', () => {
    expect(Service).not.toHaveProperty('Environment')
    if (name === 'bitcoind') return
    expect(Service?.['EnvironmentFile']).toBe(`/etc/${name}.env`)
    expect(page).toContain(`install -m 0600 $FILES/${name}.env /etc/${name}.env\n`)
  })
})

describe('market.env', () => {
  test('names only variables that the configuration knows, and no secret', () => {
    const known: readonly string[] = VARIABLE_NAMES
    const names = Object.keys(settings)
    expect(names.length).toBeGreaterThan(5)
    expect(names.filter((name) => !known.includes(name))).toEqual([])
    expect(names.filter((name) => SECRET_VARIABLES.has(name))).toEqual([])
  })

  test('starts the service once it has the password', () => {
    expect(() => readStartConfig(settings)).toThrow('BITCOIN_RPC_PASSWORD')
    const config = readStartConfig({ ...settings, BITCOIN_RPC_PASSWORD: 'p' })
    expect(config.DATA_DIR).toBe(`/var/lib/${unitOf('market')['Service']?.['StateDirectory']}`)
  })

  test('has the addresses at which the others listen, and no two of one port', () => {
    const config = readStartConfig({ ...settings, BITCOIN_RPC_PASSWORD: 'p' })
    const { BITCOIN_RPC_URL, ASSET_INDEX_URL = '', BITCOIN_ZMQ_URL = [], PORT } = config
    expect(settingsIn(fileOf('ord.env'))['ORD_BITCOIN_RPC_URL']).toBe(BITCOIN_RPC_URL)
    expect(unitOf('ord')['Service']?.['ExecStart']).toContain(
      `--address 127.0.0.1 --http-port ${new URL(ASSET_INDEX_URL).port}`,
    )
    const node = fileOf('bitcoin.conf')
    for (const topic of ['sequence', 'rawtx']) {
      expect(node).toContain(`\nzmqpub${topic}=${settings['BITCOIN_ZMQ_URL']}\n`)
    }
    const urls = [BITCOIN_RPC_URL ?? '', ASSET_INDEX_URL, ...BITCOIN_ZMQ_URL]
    const ports = [...urls.map((url) => Number(new URL(url).port)), PORT, config.METRICS_PORT]
    expect(new Set(ports).size).toBe(5)
  })
})

test('the page quotes each file as it is', () => {
  const files = ['bitcoin.conf', 'market.env', ...UNITS.map((name) => `${name}.service`)]
  const quoted = [...page.matchAll(/```ini\n(.*?)```/gs)].map(([, text = '']) => text)
  expect(quoted).toHaveLength(files.length)
  for (const [at, file] of files.entries()) expect(fileOf(file)).toContain(quoted[at])
})

test('the package of the service has them, where the page looks for them', () => {
  const { files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  expect(files).toContain(FOLDER)
  expect(page).toContain(`/lib/node_modules/psbt-market/${FOLDER}\n`)
})
