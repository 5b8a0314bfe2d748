import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { channelTo, endOf, openWire } from '../../bench/market/wire.ts'

/** Blocks this process, which so has heard nothing of its end. */
function killUnheard({ pid }: ChildProcess): void {
  process.kill(pid ?? 0, 'SIGKILL')
  const stat = `/proc/${pid}/stat`
  while (existsSync(stat) && !/\) Z /.test(readFileSync(stat, 'utf8')));
}

test('a call to a process whose end is not heard yet fails with that', async () => {
  const child = spawn(process.execPath, ['--eval', 'process.on("message", () => {})'], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  await once(child, 'spawn')
  const call = openWire(channelTo(child), {}, endOf(child, 'that died'))
  killUnheard(child)
  await expect(call('vitals')).rejects.toThrow('the process that died has ended: SIGKILL')
})

test('a call to a program that is not there fails with that', async () => {
  const child = spawn('/no/program', { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
  const call = openWire(channelTo(child), {}, endOf(child, 'of no program'))
  await expect(call('vitals')).rejects.toThrow('ENOENT')
})
