import { afterEach, expect, test, vi } from 'vitest'
import { printJson, printLine } from '../../../src/cli/terminal/output.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

test('partitions printed side by side wait for room by one listener, and all go on', async () => {
  const written: string[] = []
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written.push(String(text))
    return false
  })
  const before = process.stdout.listenerCount('drain')
  const lines = Array.from({ length: 64 }, (_, partition) => printLine(`line of ${partition}`))
  expect(process.stdout.listenerCount('drain')).toBe(before + 1)
  expect(written).toHaveLength(64)
  process.stdout.emit('drain')
  await Promise.all(lines)
  const more = printLine('another')
  expect(process.stdout.listenerCount('drain')).toBe(before + 1)
  process.stdout.emit('drain')
  await more
})

test('JSON with characters that a terminal acts on is the same JSON without them', async () => {
  const written: string[] = []
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0)
  const value = { label: 'a\u202eb\u001b\u{e0067}c\u{1f600}\u2028' }
  await printJson(value)
  expect(JSON.parse(written.join(''))).toEqual(value)
  expect(written.join('')).not.toMatch(/[\p{Cf}\u2028]/u)
})
