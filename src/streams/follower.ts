import { NodeUnavailable } from '../ports/authority-errors.ts'
import { type Clock, pace } from '../ports/clock.ts'
import type { ChainStatus } from '../ports/full-node.ts'
import type { Watermark } from '../schemas/log.ts'
import { type FollowedNode, type IndexAnswer, readyChain } from './ask-authority.ts'
import { type ChainNews, followChain, tipOf } from './follow-chain.ts'
import { type IndexVerdict, judgeIndex } from './follow-index.ts'
import { changesPushed, changesToSnapshot, type Push } from './follow-mempool.ts'
import type { Gathered } from './gather.ts'
import type { IngestMetric } from './ingest-options.ts'
import type { Journal } from './journal.ts'

export interface FollowerParts {
  journal: Journal
  node: FollowedNode
  clock: Clock
  onMetric: (metric: IngestMetric) => void
  signal: AbortSignal
}

/** A chain and a mempool that do not hold still for one look are looked at again later. */
const MOST_LOOKS = 16

type Snapshot = Awaited<ReturnType<FollowedNode['mempool']>>

/** What of the node is told in full: without it there is no watermark. */
interface Joined {
  chain: ChainStatus
  /** The number of the mempool's next change. */
  sequence: number
}

/** Follows node and index, one turn at a time: all news of a turn, then its watermark. */
export class Follower {
  readonly #parts: FollowerParts
  readonly #pace: () => Promise<void>
  #joined: Joined | null = null
  /** The last number seen: a lower one means that the node was restarted. */
  #sequence = 0
  #away = false
  #answer: IndexAnswer | null = null
  /** What `index.updates` was told last: an index beyond recovery says so at every question. */
  #fed: string | null = null
  #marked: { tip: string; index: string } | null = null

  constructor(parts: FollowerParts) {
    this.#parts = parts
    const rest = pace(parts.clock)
    this.#pace = async () => {
      parts.signal.throwIfAborted()
      await rest()
    }
  }

  /**
   * The watermark that ended the turn; null where none was due or could be given. A node that is
   * away ends the turn early, and what it could not tell is asked for in full when it is back.
   */
  async turn(gathered: Gathered): Promise<Watermark | null> {
    this.#parts.signal.throwIfAborted()
    // A watermark is as old as the question that it rests on: news may have come since.
    const at = new Date(this.#parts.clock.now()).toISOString()
    this.#note(gathered)
    try {
      this.#joined = await this.#join(gathered)
      return await this.#mark(this.#joined, gathered.beat, at)
    } catch (error) {
      if (!(error instanceof NodeUnavailable)) throw error
      this.#joined = null
      this.#away = true
      this.#parts.onMetric({ kind: 'node-away', reason: error.reason, detail: error.message })
      return null
    }
  }

  #note({ gaps, index, pushes }: Gathered): void {
    this.#answer = index ?? this.#answer
    if (gaps.length > 0) this.#joined = null
    for (const detail of gaps) this.#parts.onMetric({ kind: 'gap', detail })
    this.#parts.onMetric({ kind: 'waiting', pushes: pushes.length })
  }

  /**
   * A look at the node where there may be news that no push tells; a beat must hear it answer.
   * Pushes that came before a look are in its snapshot, or of a life that the node has ended.
   */
  async #join({ ask, beat, pushes }: Gathered): Promise<Joined> {
    if (this.#joined === null || ask) return this.#look()
    if (beat) {
      const { tip } = await readyChain(this.#parts.node)
      if (tip.hash !== this.#joined.chain.tip.hash) return this.#look()
    }
    return this.#tellPushes(this.#joined, pushes)
  }

  /**
   * Chain first, then a snapshot of the mempool, which counts only where the tip is the same
   * before and after it: else a transaction mined in between would seem to have been dropped. It
   * is taken again where a transaction left before its body came; the next one asks for far fewer.
   */
  async #look(): Promise<Joined> {
    const { node, journal, onMetric } = this.#parts
    for (let look = 1; look <= MOST_LOOKS; look++) {
      const chain = await readyChain(node)
      if (journal.tip?.hash !== chain.tip.hash) await this.#tellChain()
      if (journal.tip?.hash !== chain.tip.hash) continue
      const snapshot = await node.mempool()
      if ((await node.chain()).tip.hash !== chain.tip.hash) continue
      const still = chain.tip.hash === this.#joined?.chain.tip.hash
      if (!still || snapshot.sequence !== this.#sequence) await this.#tellSnapshot(snapshot)
      const complete = journal.mempool.size === snapshot.txids.length
      if (!complete && look < MOST_LOOKS) continue
      if (this.#joined === null) await this.#tellJoined(snapshot)
      onMetric({ kind: 'tip', height: chain.tip.height })
      return { chain, sequence: snapshot.sequence }
    }
    throw new NodeUnavailable('node_unavailable', `the tip moved during ${MOST_LOOKS} looks`)
  }

  async #tellChain(): Promise<void> {
    const { node, journal, onMetric } = this.#parts
    if (journal.tip === null) await journal.resumeAt(await tipOf(node))
    const from = journal.tip
    if (from === null) return
    let depth = 0
    for await (const news of followChain({ node, kept: journal, pace: this.#pace }, from)) {
      this.#parts.signal.throwIfAborted()
      if (news.type === 'disconnected') depth += 1
      await this.#tell(news)
    }
    if (depth > 0) onMetric({ kind: 'reorg', depth })
  }

  async #tell(news: ChainNews): Promise<void> {
    const { journal, onMetric } = this.#parts
    if (news.type === 'connected') return journal.connect(news.block)
    if (news.type === 'disconnected') return journal.disconnect(news.block, news.parent)
    onMetric({ kind: 'continuity-lost', detail: news.detail })
    await journal.resumeAt(news.resumeAt)
  }

  async #tellSnapshot({ txids, sequence }: Snapshot): Promise<void> {
    const { node, journal, signal } = this.#parts
    if (this.#away || sequence < this.#sequence) await journal.beginEpoch()
    this.#away = false
    this.#sequence = sequence
    for await (const changes of changesToSnapshot(node, journal, txids, this.#pace)) {
      signal.throwIfAborted()
      await journal.changeMempool(changes)
    }
  }

  async #tellJoined({ txids, sequence }: Snapshot): Promise<void> {
    await this.#parts.journal.resynchronised(sequence)
    this.#parts.onMetric({ kind: 'resynchronised', transactions: txids.length })
  }

  async #tellPushes(joined: Joined, pushes: readonly Push[]): Promise<Joined> {
    const { node, journal, signal } = this.#parts
    for await (const changes of changesPushed(node, journal, pushes, joined.sequence)) {
      signal.throwIfAborted()
      await journal.changeMempool(changes)
    }
    const last = pushes.reduce((highest, push) => Math.max(highest, push.mempoolSequence + 1), 0)
    this.#sequence = Math.max(joined.sequence, last)
    return { ...joined, sequence: this.#sequence }
  }

  /** Due at each beat, block and turn of the index; never before the index was heard once. */
  async #mark({ chain, sequence }: Joined, beat: boolean, at: string): Promise<Watermark | null> {
    const { journal, onMetric } = this.#parts
    if (this.#answer === null) return null
    const { status, covers, at: index } = await this.#judge(this.#answer, chain)
    const here = { tip: chain.tip.hash, index: `${status} ${index?.hash}` }
    if (!beat && here.tip === this.#marked?.tip && here.index === this.#marked.index) return null
    const { height, hash, medianTime } = chain.tip
    const watermark = await journal.mark({
      at,
      covers,
      tip: { height, hash, medianTime },
      mempoolSequence: sequence,
      index,
      indexStatus: status,
    })
    this.#marked = here
    onMetric({ kind: 'index', status, lag: index && Math.max(0, height - index.height) })
    onMetric({ kind: 'watermark', epoch: watermark.epoch, n: watermark.n, covers })
    return watermark
  }

  async #judge(answer: IndexAnswer, { tip }: ChainStatus): Promise<IndexVerdict> {
    const { node, journal } = this.#parts
    const { verdict, feed, lost } = await judgeIndex(node, answer, journal.index, tip)
    const told = feed && `${feed.kind} ${feed.at.version} ${feed.at.hash}`
    if (feed !== null && told !== this.#fed) await journal.moveIndex(feed, lost)
    this.#fed = told ?? this.#fed
    return verdict
  }
}
