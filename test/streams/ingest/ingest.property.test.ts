import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Transaction } from '../../../src/ports/authorities/full-node.ts'
import { ScriptedChain } from '../../support/chain/scripted-chain.ts'
import type { IngestRun } from '../../support/log/ingest-run.ts'
import { withRun } from '../../support/log/open-run.ts'

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 30)

/** How often each move is made; its numbers choose among what exists then. */
const WEIGHTS = {
  enter: 8,
  replace: 2,
  evict: 2,
  mine: 4,
  mineUnseen: 1,
  reorg: 3,
  flip: 2,
  restartNode: 1,
  deafen: 1,
  hear: 1,
  crash: 5,
  ambush: 2,
  breathe: 5,
  settle: 5,
}
type Name = keyof typeof WEIGHTS

const move = fc.oneof(
  ...Object.entries(WEIGHTS).map(([name, weight]) => ({
    weight,
    arbitrary: fc.record({ do: fc.constant(name as Name), a: fc.nat(), b: fc.nat() }),
  })),
)
type Move = typeof move extends fc.Arbitrary<infer M> ? M : never

const pick = <T>(items: readonly T[], n: number): T | undefined => items[n % items.length]
/** Half of everything, another half for each number. */
const half = (n: number) => {
  let bits = n
  return () => {
    bits = (Math.imul(bits, 1_103_515_245) + 12_345) >>> 0
    return (bits & 0x10000) !== 0
  }
}

const moves: Record<Name, (world: World, a: number, b: number) => unknown> = {
  enter({ chain }, a, b) {
    const coins = chain.unspent()
    const inputs = [pick(coins, a), pick(coins, b)].filter((coin) => coin !== undefined)
    if (inputs.length > 0) chain.enter(chain.spend([...new Set(inputs)], 1 + (b % 3)))
  },
  replace({ chain }, a, b) {
    const old = pick([...chain.waiting.values()], a)
    if (!old) return
    chain.evict(old.txid)
    const replacement = chain.spend(chain.inputs(old).slice(b % 2), 1)
    if (chain.inputs(replacement).length > 0) chain.enter(replacement)
  },
  evict({ chain }, a) {
    const old = pick([...chain.waiting.values()], a)
    if (old) chain.evict(old.txid)
  },
  mine({ chain }, a) {
    chain.mine(chain.minable([...chain.waiting.values()].filter(half(a))))
  },
  mineUnseen({ chain }, a) {
    const conflicted = pick([...chain.waiting.values()], a)
    const unseen: Transaction[] = conflicted ? [chain.spend(chain.inputs(conflicted))] : []
    chain.mine(chain.minable(unseen))
  },
  reorg({ chain }, a, b) {
    const depth = Math.min(1 + (a % 4), chain.active.length - 1)
    const lost = [...chain.active]
      .slice(chain.active.length - depth)
      .flatMap((hash) => chain.blocks.get(hash)?.transactions ?? [])
    const dropped = new Set(lost.filter(half(b)).map(({ txid }) => txid))
    chain.reorg(depth, 1 + (b % 4), half(a), dropped)
  },
  flip({ chain }, a) {
    const from = chain.tip.hash
    chain.reorg(Math.min(1 + (a % 3), chain.active.length - 1))
    chain.switchTo(from)
  },
  async restartNode({ chain, run }, a) {
    chain.trouble = 'node_unavailable'
    await run.breathe(3)
    chain.restart([...chain.waiting.values()].filter(half(a)))
    chain.trouble = null
  },
  deafen: ({ chain }) => chain.deafen(),
  hear: ({ chain }) => chain.hear(),
  crash: ({ run }, a, b) => run.crashAfter(a % 6, b % 2 === 0),
  /** The chain moves between two answers of the node. */
  ambush({ chain, run }, a, b) {
    const ambushed = pick(['enter', 'evict', 'mine', 'reorg', 'flip'] as const, b)!
    let calls = a % 8
    chain.onCall = () => {
      if (calls-- > 0) return
      chain.onCall = () => {}
      moves[ambushed]({ chain, run }, a, b)
    }
  },
  breathe: ({ run }, a) => run.breathe(1 + (a % 12)),
  settle({ chain, run }) {
    chain.hear()
    return run.settleOrDie()
  },
}

interface World {
  chain: ScriptedChain
  run: IngestRun
}

async function play(pushing: boolean, areOne: boolean, script: readonly Move[]): Promise<void> {
  const chain = new ScriptedChain({ pushing })
  for (let i = 0; i < 3; i++) chain.mine([])
  await withRun({ chain, areOne }, async (run) => {
    await run.settle()
    for (const { do: name, a, b } of script) await moves[name]({ chain, run }, a, b)
    chain.hear()
    const watermark = await run.settle()
    expect(watermark.covers).toBe(true)
  })
}

test.for([true, false])(
  'whatever the chain does and wherever ingest dies, the inbox folds to the node’s state at each watermark (pushes: %s)',
  { timeout: 60_000 + RUNS * 2_000 },
  async (pushing) => {
    await fc.assert(
      fc.asyncProperty(
        fc.boolean(),
        fc.array(move, { minLength: 5, maxLength: 40 }),
        (areOne, script) => play(pushing, areOne, script),
      ),
      { numRuns: RUNS },
    )
  },
)
