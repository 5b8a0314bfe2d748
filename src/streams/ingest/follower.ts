import { NodeUnavailableError } from '../../ports/authorities/authority-errors.ts'
import type { ChainStatus, TxidList } from '../../ports/authorities/full-node.ts'
import type { Clock } from '../../runtime/clock.ts'
import { pace } from '../../runtime/time-slice.ts'
import type { Watermark } from '../../schemas/log.ts'
import type { BlockHash, BlockRef } from '../../schemas/scalars.ts'
import { type FollowedNode, type IndexProbe, readyChain } from '../ask-authority.ts'
import { type ChainNews, followChain, tipOf } from './follow-chain.ts'
import { type IndexVerdict, judgeIndex } from './follow-index.ts'
import { changesPushed, changesToSnapshot, type Push } from './follow-mempool.ts'
import type { IngestSignals } from './gather.ts'
import type { IndexSample } from './index-sample.ts'
import type { IngestMetric } from './ingest-options.ts'
import type { Journal } from './journal.ts'

export interface FollowerParts {
  journal: Journal
  node: FollowedNode
  clock: Clock
  /** How an index under another version is compared with what it was. */
  sample: IndexSample
  /** Milliseconds: the longest time between two watermarks while nothing changes. */
  quietMs: number
  /** As in `IngestOptions`. */
  restMsPerListed: number
  onMetric: (metric: IngestMetric) => void
  /** The tip has changed. */
  onMoved: () => void
  signal: AbortSignal
}

/** If chain and mempool change during this many reads, the round fails and a later one retries. */
const MAX_LOOKS = 16

type Snapshot = Awaited<ReturnType<FollowedNode['mempool']>>

/** The node's state that has been fully reported: without it there is no watermark. */
interface SyncedState {
  chain: ChainStatus
  /** The number of the mempool's next change. */
  sequence: number
  /** When the node was last asked: a watermark is no newer, since news may have come since. */
  askedAt: string
}

/** The verdict on an answer of the index while the node is at this tip. */
interface JudgedIndex {
  answer: IndexProbe
  tip: BlockHash
  verdict: IndexVerdict
}

/** The parts of the last watermark in which the next one may differ. */
interface LastWatermark {
  /** Where node and index are. */
  place: string
  /** The epoch, and the number of the mempool's next change. */
  news: string
  /** Milliseconds, monotonic. */
  since: number
}

/** Follows node and index, one round at a time: all news of a round, then its watermark. */
export class Follower {
  readonly #parts: FollowerParts
  readonly #pace: () => Promise<void>
  #synced: SyncedState | null = null
  /** The mempool as the node last listed it, while exactly that is what has been reported. */
  #reported: TxidList | null = null
  /** Only polls tell of the node's mempool. */
  #isPolled = false
  /** Milliseconds, monotonic: until then a poll alone does not list the mempool again. */
  #restsUntil = 0
  /** The last number seen: a lower one means that the node was restarted. */
  #sequence = 0
  #away = false
  #answer: IndexProbe | null = null
  #judged: JudgedIndex | null = null
  /** What was last published on `index.updates`: an index beyond recovery reports it every time. */
  #fed: string | null = null
  #lastWatermark: LastWatermark | null = null

  constructor(parts: FollowerParts) {
    this.#parts = parts
    const rest = pace(parts.clock)
    this.#pace = async () => {
      parts.signal.throwIfAborted()
      await rest()
    }
  }

  /**
   * The watermark that ended the round; null if none was due or could be given. A node that is
   * unavailable ends the round early, and its full state is read again when it is back.
   */
  async round(gathered: IngestSignals): Promise<Watermark | null> {
    this.#parts.signal.throwIfAborted()
    this.#recordSignals(gathered)
    try {
      this.#synced = await this.#join(gathered)
      return await this.#endRound(this.#synced, gathered.beat)
    } catch (error) {
      if (!(error instanceof NodeUnavailableError)) throw error
      this.#synced = null
      this.#away = true
      this.#parts.onMetric({ kind: 'node-away', reason: error.reason, detail: error.message })
      return null
    } finally {
      await this.#parts.journal.flush()
    }
  }

  #recordSignals({ gaps, index, pushes, isPolled }: IngestSignals): void {
    this.#answer = index ?? this.#answer
    this.#isPolled = isPolled ?? this.#isPolled
    if (gaps.length > 0) this.#synced = null
    for (const detail of gaps) this.#parts.onMetric({ kind: 'gap', detail })
    this.#parts.onMetric({ kind: 'waiting', pushes: pushes.length })
  }

  /**
   * Reads the node's state if there may be news that no push reports; on a beat the node must
   * answer. Pushes that came before the read are in its snapshot, or predate a restart of the node.
   * A mempool that is only polled is known up to its last list.
   */
  async #join({ ask, beat, pushes }: IngestSignals): Promise<SyncedState> {
    const { clock, node } = this.#parts
    const now = new Date(clock.now()).toISOString()
    const rests = this.#isPolled && clock.monotonic() < this.#restsUntil
    if (this.#synced === null || (ask && !rests)) return this.#readNode(now)
    if (!ask && !beat) return this.#tellPushes(this.#synced, pushes)
    const { tip } = await readyChain(node)
    if (tip.hash !== this.#synced.chain.tip.hash) return this.#readNode(now)
    if (this.#isPolled) return this.#synced
    return this.#tellPushes({ ...this.#synced, askedAt: now }, pushes)
  }

  /**
   * Chain first, then a snapshot of the mempool, which counts only if the tip is the same before
   * and after it: else a transaction mined in between would seem to have been dropped. It is taken
   * again if a transaction left before its body was fetched; the next one fetches far fewer.
   */
  async #readNode(askedAt: string): Promise<SyncedState> {
    const { node, journal, clock, restMsPerListed, quietMs, onMetric } = this.#parts
    for (let look = 1; look <= MAX_LOOKS; look++) {
      const chain = await readyChain(node)
      if (journal.tip?.hash !== chain.tip.hash) await this.#tellChain(chain.tip)
      if (journal.tip?.hash !== chain.tip.hash) continue
      const snapshot = await node.mempool()
      if ((await node.chain()).tip.hash !== chain.tip.hash) continue
      const still = chain.tip.hash === this.#synced?.chain.tip.hash
      const isNew = !still || snapshot.sequence !== this.#sequence
      if (isNew) await this.#tellSnapshot(snapshot)
      const complete = journal.mempool.size === snapshot.txids.length
      if (isNew && complete) this.#reported = snapshot.txids
      const restMs = Math.min(snapshot.txids.length * restMsPerListed, quietMs)
      this.#restsUntil = clock.monotonic() + restMs
      if (!complete && look < MAX_LOOKS) continue
      if (this.#synced === null) await this.#tellJoined(snapshot)
      onMetric({ kind: 'tip', height: chain.tip.height })
      return { chain, sequence: snapshot.sequence, askedAt }
    }
    throw new NodeUnavailableError('node_unavailable', `the tip moved during ${MAX_LOOKS} reads`)
  }

  async #tellChain(tip: BlockRef): Promise<void> {
    const { node, journal, onMetric, onMoved } = this.#parts
    if (journal.tip === null) await journal.resumeAt(await tipOf(node))
    const from = journal.tip
    if (from === null) return
    this.#reported = null
    let depth = 0
    for await (const news of followChain({ node, kept: journal, pace: this.#pace }, from, tip)) {
      this.#parts.signal.throwIfAborted()
      if (news.type === 'disconnected') depth += 1
      await this.#tell(news)
    }
    if (depth > 0) onMetric({ kind: 'reorg', depth })
    onMoved()
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
    const news = { snapshot: txids, reported: this.#reported }
    this.#reported = null
    for await (const changes of changesToSnapshot(node, journal, news, this.#pace)) {
      signal.throwIfAborted()
      await journal.changeMempool(changes)
    }
  }

  async #tellJoined({ txids, sequence }: Snapshot): Promise<void> {
    await this.#parts.journal.resynchronised(sequence)
    this.#parts.onMetric({ kind: 'resynchronised', transactions: txids.length })
  }

  async #tellPushes(joined: SyncedState, pushes: readonly Push[]): Promise<SyncedState> {
    const { node, journal, signal } = this.#parts
    if (pushes.length > 0) this.#reported = null
    for await (const changes of changesPushed(node, journal, pushes, joined.sequence)) {
      signal.throwIfAborted()
      await journal.changeMempool(changes)
    }
    const last = pushes.reduce((highest, push) => Math.max(highest, push.mempoolSequence + 1), 0)
    this.#sequence = Math.max(joined.sequence, last)
    return { ...joined, sequence: this.#sequence }
  }

  /**
   * Due at each block and change of the index, at a beat after any other change, and after a quiet
   * period; never before the index has answered once.
   */
  async #endRound(
    { chain, sequence, askedAt }: SyncedState,
    beat: boolean,
  ): Promise<Watermark | null> {
    const { journal, clock, onMetric } = this.#parts
    if (this.#answer === null) return null
    const { status, covers, at: index } = await this.#judge(this.#answer, chain)
    const here = {
      place: `${chain.tip.hash} ${status} ${index?.hash}`,
      news: `${journal.epoch} ${sequence}`,
      since: clock.monotonic(),
    }
    const isThere = here.place === this.#lastWatermark?.place
    if (isThere && (!beat || this.#isQuiet(here))) return null
    const { height, hash, medianTime } = chain.tip
    const watermark = await journal.mark({
      at: askedAt,
      covers,
      tip: { height, hash, medianTime },
      mempoolSequence: sequence,
      index,
      indexStatus: status,
    })
    this.#lastWatermark = here
    onMetric({ kind: 'index', status, lag: index && Math.max(0, height - index.height) })
    const { epoch, n, mempoolSequence } = watermark
    onMetric({ kind: 'watermark', epoch, n, mempoolSequence, covers })
    return watermark
  }

  #isQuiet({ news, since }: LastWatermark): boolean {
    const { journal, quietMs } = this.#parts
    if (!this.#lastWatermark || news !== this.#lastWatermark.news || journal.owesNews) return false
    return since - this.#lastWatermark.since < quietMs
  }

  /** Judged once per answer and tip: the node's best chain is the same while its tip is. */
  async #judge(answer: IndexProbe, { tip }: ChainStatus): Promise<IndexVerdict> {
    const { node, journal, sample } = this.#parts
    if (this.#judged?.answer === answer && this.#judged.tip === tip.hash)
      return this.#judged.verdict
    const news = await judgeIndex(node, answer, journal.index, tip, sample)
    const { verdict, place, feed, lost } = news
    if (verdict.status === 'unconfigured') await journal.forgetIndex()
    const identity = feed && `${feed.kind} ${feed.at.version} ${feed.at.hash}`
    if (feed !== null && identity !== this.#fed) await journal.moveIndex(feed, place, lost)
    this.#fed = identity ?? this.#fed
    this.#judged = { answer, tip: tip.hash, verdict }
    return verdict
  }
}
