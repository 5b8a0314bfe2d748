import { describe, expect, test } from 'vitest'
import { printConfig, readConfig } from '../../../src/cli/terminal/environment.ts'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const shop = { name: 'shop', url: 'https://hooks.example', secrets: [SECRET] }
const read = (value: unknown) => readConfig({ WEBHOOK_ENDPOINTS: JSON.stringify(value) })

describe('WEBHOOK_ENDPOINTS', () => {
  test('is a list of endpoints, each with its filter, and is never printed', () => {
    const config = read([shop, { ...shop, name: 'other', filter: { state: 'LIVE' } }])
    expect(config.WEBHOOK_ENDPOINTS).toEqual([
      { ...shop, filter: { includeWithdrawn: false } },
      { ...shop, name: 'other', filter: { state: 'LIVE', includeWithdrawn: false } },
    ])
    expect(printConfig(config)).not.toContain(SECRET)
  })

  test.each([
    ['not JSON', '[', 'must be a JSON list'],
    ['not a list', shop, 'must be a JSON list'],
    ['no secret', [{ ...shop, secrets: [] }], 'see 0.secrets'],
    ['a secret that is too short', [{ ...shop, secrets: ['whsec_c2hvcnQ='] }], 'see 0.secrets.0'],
    ['three secrets', [{ ...shop, secrets: [SECRET, SECRET, SECRET] }], 'see 0.secrets'],
    ['an unknown filter', [{ ...shop, filter: { status: 'LIVE' } }], 'see 0.filter'],
    ['a name twice', [shop, shop], 'must have each name once'],
  ])('stops the start when it is %s, without showing its value', (_name, value, message) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    let said = ''
    try {
      readConfig({ WEBHOOK_ENDPOINTS: text })
    } catch (error) {
      said = String(error)
    }
    expect(said).toContain(message)
    expect(said).not.toContain('whsec_c')
    expect(said).not.toContain(SECRET)
  })
})

test('webhooks to this machine are for regtest', () => {
  const variables = { BITCOIN_NETWORK: 'signet', WEBHOOK_LOOPBACK: 'true' }
  expect(() => readConfig(variables)).toThrow('WEBHOOK_LOOPBACK requires regtest')
  expect(readConfig({ WEBHOOK_LOOPBACK: 'true' }).WEBHOOK_LOOPBACK).toBe(true)
})
