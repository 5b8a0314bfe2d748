import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { type Second, slopeAnHour } from '../../bench/soak/figures.ts'

const second = (at: number, heapMb: number): Second => {
  return { at, heapMb, rssMb: 300, reads: 10, p99Ms: 5, lagMs: 1_000 }
}

test('a slope is what a measure grows by in an hour', () => {
  expect(slopeAnHour([second(1, 10), second(2, 11), second(3, 12)], 'heapMb')).toBeCloseTo(3_600)
  expect(slopeAnHour([second(1, 10), second(2, 12), second(3, 10)], 'heapMb')).toBeCloseTo(0)
  expect(slopeAnHour([second(1, 10), second(2, 11)], 'rssMb')).toBe(0)
  expect(slopeAnHour([second(1, 10)], 'heapMb')).toBe(0)
})

test('a soak reads a market on which things happen, and leaves its seconds and their plots', async () => {
  const out = mkdtempSync(join(tmpdir(), 'market-soak-test-'))
  try {
    const args = [
      '--import',
      'tsx',
      'bench/soak/main.ts',
      '--minutes',
      '0.1',
      '--orders',
      '20',
      '--out',
      out,
    ]
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      env: { ...process.env, CHROMIUM: 'no-browser' },
    })
    const { seconds, capacity } = JSON.parse(readFileSync(join(out, 'soak.json'), 'utf8')) as {
      seconds: Second[]
      capacity: number
    }
    expect(seconds).toHaveLength(6)
    expect(capacity).toBeGreaterThan(0)
    expect(seconds.some(({ reads }) => reads > 0)).toBe(true)
    expect(existsSync(join(out, 'soak.html'))).toBe(true)
    expect(stdout).toContain('slope an hour')
  } finally {
    rmSync(out, { recursive: true, force: true })
  }
}, 300_000)
