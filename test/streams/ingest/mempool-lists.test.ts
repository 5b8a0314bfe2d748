import { expect, test } from 'vitest'
import { ScriptedChain } from '../../support/chain/scripted-chain.ts'
import { withRun } from '../../support/log/open-run.ts'

// A list of the mempool is compared with the last one. Changes reported separately in between, or a
// list reported in part, are not what that list held.

test('notifications since the last list are not part of it: the next list after a gap is compared with all', async () => {
  const chain = new ScriptedChain({ pushing: true })
  for (let mined = 0; mined < 3; mined += 1) chain.mine([])
  await withRun({ chain }, async (run) => {
    const [stays, leaves, comes] = chain.unspent() as [string, string, string]
    const [first, second] = [chain.spend([stays]), chain.spend([leaves])]
    chain.enter(first)
    chain.enter(second)
    await run.settle()
    chain.evict(second.txid)
    const third = chain.spend([comes])
    chain.enter(third)
    await run.settle()
    // Unheard: the list is again the first one, byte for byte.
    chain.deafen()
    chain.evict(third.txid)
    chain.enter(second)
    chain.hear()
    await run.settle()
    expect(run.story(leaves)).toEqual(['spend seen', 'spend dropped', 'spend seen'])
    expect(run.story(comes)).toEqual(['spend seen', 'spend dropped'])
  })
})

test('a list that was reported in part, when the node became unavailable, is compared with no later one', async () => {
  const chain = new ScriptedChain({ pushing: false })
  for (let mined = 0; mined < 3; mined += 1) chain.mine([])
  await withRun({ chain }, async (run) => {
    const [leaves, comes] = chain.unspent() as [string, string]
    const [first, second] = [chain.spend([leaves]), chain.spend([comes])]
    chain.enter(first)
    await run.settle()
    chain.evict(first.txid)
    chain.enter(second)
    chain.onCall = (name) => {
      if (name === 'mempoolTransactions') chain.trouble = 'node_unavailable'
    }
    await expect.poll(() => run.story(leaves), { timeout: 20_000 }).toContain('spend dropped')
    chain.onCall = () => {}
    chain.evict(second.txid)
    chain.enter(first)
    chain.trouble = null
    await run.settle()
    expect(run.story(leaves)).toEqual(['spend seen', 'spend dropped', 'spend seen'])
    expect(run.story(comes)).toEqual([])
  })
})

test('polls alone list the mempool again only after a while: until then watermarks keep the time of the list, and blocks are seen', async () => {
  const chain = new ScriptedChain({ pushing: false, pollsAlone: true })
  for (let mined = 0; mined < 3; mined += 1) chain.mine([])
  const options = { restMsPerListed: 60_000, quietMs: 60_000 }
  await withRun({ chain, options }, async (run) => {
    const [first, second, third] = chain.unspent() as [string, string, string]
    await run.settle()
    chain.enter(chain.spend([first]))
    const { at } = await run.settle()
    chain.enter(chain.spend([second]))
    await run.rest()
    expect(run.story(second)).toEqual([])
    expect((await run.until(() => true)).at).toBe(at)
    chain.mine([])
    await run.settle()
    expect(run.story(second)).toEqual(['spend seen'])
    chain.enter(chain.spend([third]))
    await run.rest()
    expect(run.story(third)).toEqual([])
    run.clock.advance(60_000)
    chain.push({ kind: 'poll', isAlone: true })
    await run.settle()
    expect(run.story(third)).toEqual(['spend seen'])
  })
})
