import fc from 'fast-check'
import { expect, test } from 'vitest'
import { judge } from '../../src/domain/verdict/verdict.ts'
import type { Evidence, OutputEvidence, Spend } from '../../src/schemas/evidence.ts'
import type { EvidenceRecord, OutputRecord, SpendRecord } from '../../src/schemas/log.ts'
import type { BlockRef } from '../../src/schemas/scalars.ts'
import { watermark } from '../support/log/watermarks.ts'
import {
  answerTo,
  importOf,
  outputNews,
  spendNews,
  WorkerHost,
} from '../support/log/worker-host.ts'
import {
  askClaim,
  blockAt,
  evidenceOf,
  indexAway,
  indexSays,
  MEDIAN_TIME,
  MISSING,
  NO_MARKET,
  nodeAway,
  nodeSays,
  spendBy,
  spentBy,
  unspent,
} from '../support/orders/evidence.ts'

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 300)

const START = 900
const buyer = spendBy('buyer')
const thief = spendBy('thief', { pairedOutput: null })
const inBlock = (spend: Spend, block: BlockRef) => ({
  ...spend,
  block: { ...block, time: MEDIAN_TIME },
})

type News = SpendRecord | OutputRecord

/** The true state of one output, and the news about it, in the order of the chain. */
class Chain {
  #blocks: BlockRef[] = [blockAt(START)]
  /** Of the output's own transaction: its block, null in the mempool, or gone. */
  #output: BlockRef | null | 'gone' = blockAt(START)
  #spend: Spend | null = null
  #branches = 0

  get tip(): BlockRef {
    return this.#blocks.at(-1) ?? blockAt(START - 1)
  }

  /** The node's answer at this moment. */
  truth(): Evidence {
    const output: OutputEvidence =
      this.#output === 'gone'
        ? MISSING
        : this.#spend
          ? spentBy(this.#spend, this.#spend.block !== null)
          : unspent({ block: this.#output })
    const isExamined = output.status === 'unspent' && output.block !== null
    return evidenceOf({
      node: nodeSays({ output, tip: { ...this.tip, medianTime: MEDIAN_TIME } }),
      index: isExamined
        ? indexSays({ at: { ...this.tip, version: 'ord 1' } })
        : indexAway('asset_index_not_asked'),
    })
  }

  /** A mempool transaction spends it, whatever did so before. */
  see(by: Spend): News[] {
    if (this.#output === 'gone' || this.#spend?.block) return []
    const left = this.#spend ? this.drop() : []
    this.#spend = by
    return [...left, spendNews('seen', by)]
  }

  drop(): News[] {
    const gone = this.#spend
    if (!gone || gone.block) return []
    this.#spend = null
    return [spendNews('dropped', gone)]
  }

  /** A block that confirms what is unconfirmed, or a spend that was never seen. */
  mine(by: Spend | null): News[] {
    this.#branches += 1
    const block = blockAt(this.tip.height + 1, `branch ${this.#branches}`)
    this.#blocks.push(block)
    const news: News[] = []
    if (this.#output === null) {
      this.#output = block
      news.push(outputNews('confirmed', block))
    }
    const spend = by ?? this.#spend
    if (this.#output !== 'gone' && spend && !this.#spend?.block) {
      this.#spend = inBlock(spend, block)
      news.push(spendNews('confirmed', this.#spend))
    }
    return news
  }

  /** The tip is disconnected: what it confirmed is back in the mempool. */
  disconnect(): News[] {
    const block = this.#blocks.pop()
    if (!block) return []
    const news: News[] = []
    const spend = this.#spend
    if (spend?.block?.hash === block.hash) {
      this.#spend = { ...spend, block: null }
      news.push(spendNews('unconfirmed', spend))
    }
    if (this.#output !== 'gone' && this.#output?.hash === block.hash) {
      this.#output = null
      news.push(outputNews('unconfirmed', block))
    }
    return news
  }

  /** The output's own transaction leaves the mempool, and its spender before it. */
  evict(): News[] {
    if (this.#output !== null) return []
    const news = this.drop()
    this.#output = 'gone'
    return [...news, outputNews('gone')]
  }

  comeBack(): News[] {
    if (this.#output !== 'gone') return []
    this.#output = null
    return [outputNews('seen')]
  }
}

type Act =
  | 'see buyer'
  | 'see thief'
  | 'drop'
  | 'mine'
  | 'mine buyer'
  | 'mine thief'
  | 'disconnect'
  | 'evict'
  | 'come back'
  | 'tell'
  | 'tell all'
  | 'tell again'
  | 'gather'
  | 'answer'
  | 'away'
  | 'watermark'
  | 'reorg watermark'
  | 'crash'

const acts = fc.array(
  fc.constantFrom<Act>(
    'see buyer',
    'see thief',
    'drop',
    'mine',
    'mine buyer',
    'mine thief',
    'disconnect',
    'disconnect',
    'evict',
    'come back',
    'tell',
    'tell',
    'tell all',
    'tell again',
    'gather',
    'answer',
    'answer',
    'away',
    'watermark',
    'reorg watermark',
    'crash',
  ),
  { maxLength: 40 },
)

/**
 * The chain runs ahead; its news, and the answers to questions, each arrive with a delay of their
 * own.
 */
class Play {
  readonly chain = new Chain()
  readonly host = new WorkerHost()
  #untold: News[] = []
  #told: News[] = []
  /** Answers given and still in flight. */
  #gathered: EvidenceRecord[] = []
  #marks = 0

  async start(): Promise<void> {
    await this.#mark()
    await this.host.tell([importOf(askClaim(), 'import')])
  }

  async act(act: Act): Promise<void> {
    const { chain, host } = this
    switch (act) {
      case 'see buyer':
      case 'see thief':
        return this.#happen(chain.see(act === 'see buyer' ? buyer : thief))
      case 'drop':
        return this.#happen(chain.drop())
      case 'mine':
      case 'mine buyer':
      case 'mine thief':
        return this.#happen(
          chain.mine({ mine: null, 'mine buyer': buyer, 'mine thief': thief }[act]),
        )
      case 'disconnect':
        return this.#happen(chain.disconnect())
      case 'evict':
        return this.#happen(chain.evict())
      case 'come back':
        return this.#happen(chain.comeBack())
      case 'tell':
        return this.#tell(1)
      case 'tell all':
        return this.#tell(this.#untold.length)
      case 'tell again':
        return host.tell(this.#told.slice(-1))
      case 'gather':
        this.#gather(chain.truth())
        return
      case 'answer':
        return this.#answer(chain.truth())
      case 'away':
        return this.#answer(
          evidenceOf({ node: nodeAway(), index: indexAway('asset_index_not_asked') }),
        )
      case 'watermark':
        return this.#mark()
      case 'reorg watermark':
        await this.#tell(this.#untold.length)
        return this.#mark({ forkHeight: chain.tip.height })
      case 'crash':
        host.die()
        await host.open()
    }
  }

  /** All news has arrived, every question is answered, and the authorities are available. */
  async settle(): Promise<void> {
    await this.#tell(this.#untold.length)
    await this.#answer(this.chain.truth())
    for (let round = 0; round < 4; round += 1) {
      await this.host.answerAll(() => this.chain.truth())
      await this.#mark()
    }
    await this.host.answerAll(() => this.chain.truth())
  }

  #happen(news: News[]): void {
    this.#untold.push(...news)
  }

  async #tell(count: number): Promise<void> {
    const news = this.#untold.splice(0, count)
    this.#told.push(...news)
    await this.host.tell(news)
  }

  #gather(evidence: Evidence): void {
    const questions = this.host.takeQuestions()
    this.#gathered.push(...questions.map((question) => answerTo(question, evidence)))
  }

  async #answer(evidence: Evidence): Promise<void> {
    this.#gather(evidence)
    await this.host.tell(this.#gathered.splice(0))
  }

  #mark(changes = {}): Promise<void> {
    const tip = { ...this.chain.tip, medianTime: MEDIAN_TIME }
    const index = { ...this.chain.tip, version: 'ord 1' }
    return this.host.tell([watermark(this.#marks++, { tip, index, ...changes })])
  }
}

test('once all news has arrived, an order is what node and index say, whatever came late, twice or in between', async () => {
  await fc.assert(
    fc.asyncProperty(acts, async (sequence) => {
      const play = new Play()
      await play.start()
      for (const act of sequence) await play.act(act)
      await play.settle()
      const evidence = play.chain.truth()
      const order = play.host.order()
      const verdict = judge({ claim: order.kept, evidence, market: NO_MARKET, indexProof: null })
      expect(order).toMatchObject({ state: verdict.state, spend: verdict.spend, pending: null })
      expect(order.reason).toBe(verdict.reason)
      expect(order.settlement?.txid).toBe(verdict.exactPayout ? verdict.spend?.txid : undefined)
      expect(play.host.faults).toEqual([])
      expect(play.host.outcomes).toHaveLength(1)
    }),
    { numRuns: RUNS },
  )
})
