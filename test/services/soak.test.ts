import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import type { Second } from '../../bench/soak/figures.ts'

test('a soak reads a changing market, and writes its seconds and their plots', async () => {
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
})
