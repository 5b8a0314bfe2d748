import { setImmediate } from 'node:timers/promises'
import { firstValueFrom, skip, take, toArray } from 'rxjs'
import { expect, test } from 'vitest'
import { authorityHealth } from '../../src/streams/authority-health.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { ScriptedChain } from '../support/scripted-chain.ts'
import { ScriptedIndex } from '../support/scripted-index.ts'

const options = { everyMs: 1_000, timeoutMs: 3_000 }

function authorities() {
  const clock = new ManualClock()
  const node = new ScriptedChain()
  const index = new ScriptedIndex()
  index.stand(node.tip)
  return { clock, node, index }
}

test('both answer on one chain', async () => {
  const { clock, node, index } = authorities()
  const health = await firstValueFrom(authorityHealth({ clock, node, index }, options))
  expect(health).toMatchObject({
    node: { status: 'ready', chain: { tip: { hash: node.tip.hash } } },
    index: { status: 'ready' },
    oneChain: true,
  })
})

test('an index on another chain is ready, but not on the node’s chain', async () => {
  const { clock, node, index } = authorities()
  index.stand({ height: 0, hash: 'ee'.repeat(32) })
  const health = await firstValueFrom(authorityHealth({ clock, node, index }, options))
  expect(health.oneChain).toBe(false)
})

test('what is not configured is said to be so', async () => {
  const { clock } = authorities()
  const health = authorityHealth({ clock, node: null, index: null }, options)
  expect(await firstValueFrom(health)).toMatchObject({
    node: { status: 'unavailable', reason: 'node_unconfigured' },
    index: { status: 'unavailable', reason: 'asset_index_unconfigured' },
    oneChain: null,
  })
})

test('a node that is not ready is unavailable with its reason', async () => {
  const { clock, node, index } = authorities()
  node.initialBlockDownload = true
  const health = await firstValueFrom(authorityHealth({ clock, node, index }, options))
  expect(health).toMatchObject({ node: { reason: 'node_in_ibd' }, oneChain: null })
})

test('an authority that hangs is away after its time, and does not hold the other', async () => {
  const { clock, node, index } = authorities()
  index.hang()
  const answer = firstValueFrom(authorityHealth({ clock, node, index }, options))
  await setImmediate()
  clock.advance(options.timeoutMs)
  expect(await answer).toMatchObject({
    node: { status: 'ready' },
    index: { status: 'unavailable', reason: 'asset_index_unreachable' },
  })
})

test('all who listen share the questions; who comes later is told the latest at once; it is asked again', async () => {
  const { clock, node, index } = authorities()
  const health = authorityHealth({ clock, node, index }, options)
  const twice = firstValueFrom(health.pipe(take(2), toArray()))
  const alsoSecond = firstValueFrom(health.pipe(skip(1)))
  for (let i = 0; i < 5; i++) await setImmediate()
  expect(node.calls.get('chain')).toBe(1)
  expect(await firstValueFrom(health)).toMatchObject({ askedAt: clock.now() })
  expect(node.calls.get('chain')).toBe(1)
  clock.advance(options.everyMs)
  const [, second] = await twice
  expect(second?.askedAt).toBe(clock.now())
  expect(await alsoSecond).toBe(second)
  expect(node.calls.get('chain')).toBe(2)
})
