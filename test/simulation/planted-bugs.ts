/** A piece of the code under test, and what takes its place. */
export interface Replacement {
  file: string
  was: string
  is: string
}

/** A bug that the simulation must find. */
export interface PlantedBug extends Replacement {
  name: string
  /** Where several guards hold a rule, all of them are gone. */
  and?: readonly Replacement[]
}

const WORKER = 'src/actors/order-worker.ts'
const STEP = 'src/actors/order/step-order.ts'
const FOLLOWER = 'src/streams/ingest/follower.ts'
const VIEWS = 'src/projections/project-views.ts'
const ROOM = 'src/domain/order/room.ts'
const POOL = 'src/adapters/embedded/stores/unproved-pool.ts'
const TAKE = 'src/gateway/intake/take-claim.ts'
const DELIVERY = 'src/gateway/webhooks/partition-delivery.ts'
const HISTORY = 'src/projections/project-history.ts'

export const PLANTED_BUGS: readonly PlantedBug[] = [
  {
    name: 'an offset runs ahead of its effects',
    file: 'src/adapters/log/consume-partition.ts',
    was: 'await this.#loop.commit(output, next)',
    is: 'await this.#loop.commit(output, next + 1)',
  },
  {
    name: 'a batch is written twice',
    file: 'src/adapters/log/consume-partition.ts',
    was: 'await this.#loop.commit(output, next)',
    is: 'await this.#loop.commit(output, next)\n      await this.#loop.commit(output, next)',
  },
  {
    name: 'a worker that lost its partition still writes',
    file: 'test/simulation/log-client.ts',
    was: 'if (!group.owns(process, partition, owned.generation)) {',
    is: 'if (Number.isNaN(partition)) {',
  },
  {
    name: 'the offset is kept before what came of it',
    file: 'src/adapters/log/consume-partition.ts',
    was: 'await this.#loop.commit(output, next)',
    is: 'await this.#loop.commit({ ...output, lifecycle: [], snapshots: [], dead: [] }, next)\n      await this.#loop.commit(output, next)',
  },
  {
    name: 'two records of a batch change places',
    file: WORKER,
    was: 'return { lifecycle, snapshots: this.#snapshots(), dead, taken, owed }',
    is: 'return { lifecycle: lifecycle.toReversed(), snapshots: this.#snapshots(), dead, taken, owed }',
  },
  {
    name: 'a seq is used again',
    file: STEP,
    was: 'seq: (before?.seq ?? 0) + 1,',
    is: 'seq: before?.seq ?? 1,',
  },
  {
    name: 'the hash chain is cut',
    file: STEP,
    was: 'prevHash: before?.hash ?? null,',
    is: 'prevHash: null,',
  },
  {
    name: 'a change is not logged',
    file: WORKER,
    was: 'if (step.change) this.#batch.lifecycle.push(step.change)',
    is: "if (step.change && step.change.kind !== 'noted') this.#batch.lifecycle.push(step.change)",
  },
  {
    name: 'the outcome of a command is lost',
    file: WORKER,
    was: 'this.#batch.lifecycle.push(...step.outcomes)',
    is: 'this.#batch.lifecycle.push(...step.outcomes.slice(0, 1))',
  },
  {
    name: 'a dead letter is swallowed',
    file: WORKER,
    was: 'this.#batch.deadLetter(record, `unreadable:',
    is: 'if (record.offset < 0) this.#batch.deadLetter(record, `unreadable:',
  },
  {
    name: 'questions that were out are not put again',
    file: WORKER,
    was: 'if (order.pending) this.#options.ask(questionOf(order))',
    is: '',
  },
  {
    name: 'orders that wait are not found again',
    file: WORKER,
    was: '      this.#waiting.put(order)\n      await this.#options.pace()',
    is: '      await this.#options.pace()',
  },
  {
    name: 'the filter of watched outputs forgets an order that came',
    file: 'src/actors/partition/partition-orders.ts',
    was: 'if (isOpen(order)) this.#watched.add(order.outpoint)',
    is: '',
  },
  {
    name: 'evidence counts although a spend came after it was begun',
    file: 'src/actors/events/judge-order.ts',
    was: "if (order.pending?.touched) return { kind: 'discarded' }",
    is: '',
  },
  {
    name: "a gateway's evidence counts although its output was spent since",
    file: 'src/actors/partition/recent-news.ts',
    was: "names !== 'all' && !names.has(name)",
    is: "names !== 'all'",
  },
  {
    name: "a gateway's evidence of an earlier epoch counts",
    file: WORKER,
    was: 'isOfThisRun(this.#partition, begunAt) &&\n      isContinuousSince(this.#partition, begunAt) &&\n      this.#recent.isQuietSince(begunAt, outpoint)',
    is: 'begunAt.epoch !== this.#partition?.seen.epoch || this.#recent.isQuietSince(begunAt, outpoint)',
    and: [
      {
        file: WORKER,
        was: 'const judgement = isOfThisRun(this.#partition, found.begunAt)\n',
        is: 'const judgement = found\n',
      },
      {
        file: WORKER,
        was: 'const begunAt = isContinuousSince(this.#partition, found.begunAt) ? found.begunAt : null',
        is: 'const begunAt = found.begunAt && (this.#partition?.seen ?? null)',
      },
    ],
  },
  {
    name: "a new owner does not know of what news a gateway's evidence is older",
    file: WORKER,
    was: 'new RecentNews(partition?.news)',
    is: "new RecentNews(partition?.news?.map(({ after }) => ({ after, touched: '' })))",
  },
  {
    name: 'a lower epoch is accepted',
    file: 'src/actors/partition/partition-progress.ts',
    was: 'if (before && !precedes(before.seen, seen)) return null',
    is: 'if (before && before.seen.epoch === epoch && before.seen.n === n) return null',
  },
  {
    name: 'loss of continuity is not heard',
    file: 'src/actors/partition/partition-progress.ts',
    was: "const isLost = watermark.lost === 'all' ||",
    is: 'const isLost =',
  },
  {
    name: 'what many were asked about counts, whatever was said',
    file: 'src/actors/sweep/renewer.ts',
    was: 'const most = doubted.slice(0, MAX_DOUBTED)',
    is: 'const most = doubted.slice(0, 0)',
  },
  {
    name: 'the sample of an index is not compared',
    file: 'src/streams/ingest/index-sample.ts',
    was: 'const isSame = await saysTheSame(index, said)',
    is: 'const isSame = said.size > 0',
  },
  {
    name: 'after a loss only what is for sale is verified again',
    file: 'src/actors/partition/partition-progress.ts',
    was: "{ over: 'live', after: upTo } : { over: 'others', after: null }",
    is: "{ over: 'live', after: upTo } : { over: 'others', after: LAST_ID }",
  },
  {
    name: 'a watermark is written before what it covers',
    file: FOLLOWER,
    was: '      this.#synced = await this.#join(gathered)\n      return await this.#endRound(this.#synced, gathered.beat)',
    is: '      const marked = this.#synced && (await this.#endRound({ ...this.#synced, askedAt: new Date(this.#parts.clock.now()).toISOString(), sequence: (await this.#parts.node.mempool()).sequence }, gathered.beat))\n      this.#synced = await this.#join(gathered)\n      return marked ?? (await this.#endRound(this.#synced, gathered.beat))',
  },
  {
    name: 'what moves in the mempool is not named to those who bid with it',
    file: 'src/streams/ingest/journal.ts',
    was: 'state: { owed: this.#owedWith(changes.map(({ transaction }) => transaction)) },',
    is: 'state: {},',
  },
  {
    name: 'a push at the edge of a snapshot is dropped',
    file: 'src/streams/ingest/follow-mempool.ts',
    was: 'push.mempoolSequence >= from',
    is: 'push.mempoolSequence > from',
  },
  {
    name: 'freshness is shown before the lifecycle is folded',
    file: VIEWS,
    was: '      await folded.until(snapshot.lifecycleEnd, run.signal)\n',
    is: '',
  },
  {
    name: 'views that were flushed are not filled again',
    file: VIEWS,
    was: '      return foldLifecycle(projection, partition, folded, run).catch((error: unknown) => {\n',
    is: '      const views = { apply: (some: any) => projection.views.apply(some), position: () => projection.log.end(TOPICS.lifecycle, partition) }\n      const blind = lastError ? { ...projection, views } : projection\n      return foldLifecycle(blind as any, partition, folded, { ...run, isRefill: false }).catch((error: unknown) => {\n',
  },
  {
    name: 'a field that is gone stays in the fold',
    file: 'src/domain/order/fold-order.ts',
    was: 'for (const name of change.unset) delete whole[name]\n',
    is: '',
  },
  {
    name: 'the history goes on from where it had read',
    file: HISTORY,
    was: '  let next = from\n  const untilBroken = async () => {\n    for await (const batch of log.read(TOPICS.lifecycle, partition, next, signal)) {\n',
    is: '  const reached = ((log as any).reached ??= new Map<number, number>())\n  let next = reached.get(partition) ?? from\n  const untilBroken = async () => {\n    for await (const batch of log.read(TOPICS.lifecycle, partition, next, signal)) {\n      reached.set(partition, batch.at(-1)!.offset + 1)\n',
  },
  {
    name: 'a row of the history is left out',
    file: 'src/projections/read-lifecycle.ts',
    was: "return change.kind === 'outcome' ? [] : [{ partition, offset, change }]",
    is: "return change.kind === 'outcome' || change.reason === 'authority_away' ? [] : [{ partition, offset, change }]",
  },
  {
    name: 'room is not made',
    file: ROOM,
    was: 'Math.min(Math.max(orders.length - most, 0), CLOSED_AT_ONCE)',
    is: 'Math.min(Math.max(orders.length - most, 0), 0)',
  },
  {
    name: 'what nobody proved takes the room of what was',
    file: ROOM,
    was: 'const proved = open.filter(isProved)',
    is: 'const proved = [...open]',
  },
  {
    name: 'what just came gives way itself',
    file: ROOM,
    was: 'orders\n      .filter(({ id }) => id !== newest)\n',
    is: "orders\n      .filter(({ id }) => id !== '')\n",
  },
  {
    name: 'what is closed for room says for ever that its output is being spent',
    file: 'src/actors/order/order-machine.ts',
    was: 'MEMPOOL_CONFLICTED: { on: { ...recallable, MAKE_ROOM: refusedForRoom } },',
    is: 'MEMPOOL_CONFLICTED: { on: recallable },',
  },
  {
    name: 'an entry of the pool is written over what another wrote meanwhile',
    file: POOL,
    was: "      if (!this.#isUnchanged(known, read, nowMs)) return 'changed'\n",
    is: '',
  },
  {
    name: 'the pool of one output has no bound',
    file: POOL,
    was: 'getKeysCount({ ...ofOutput }) >= atOneOutput',
    is: 'getKeysCount({ ...ofOutput }) >= 1000 * atOneOutput',
  },
  {
    name: 'the pool of one client has no bound',
    file: POOL,
    was: 'fits(this.#tally(clientKey(client)), bytes, ofOneClient, bytesOfOneClient)',
    is: 'fits(this.#tally(client), bytes, ofOneClient, bytesOfOneClient)',
  },
  {
    name: 'the pool has no bound of bytes',
    file: POOL,
    was: 'orders < mostOrders && bytes + more <= mostBytes',
    is: 'orders < mostOrders && bytes <= mostBytes',
  },
  {
    name: 'the pool forgets nothing by the clock',
    file: POOL,
    was: 'if (isAnyOld) await',
    is: 'if (isAnyOld && nowMs === 0) await',
  },
  {
    name: 'an entry that left the pool is still found by its transaction',
    file: POOL,
    was: '    this.#byTxid.removeSync([txid, id])\n',
    is: '',
  },
  {
    name: 'a look counts as an import',
    file: TAKE,
    was: 'const next = entryOf(entry, judged, entry, now)',
    is: 'const next = entryOf(entry, judged, { ...entry, importedAt: now }, now)',
  },
  {
    name: 'what nobody proved enters the log',
    file: TAKE,
    was: '  if (judged.isProved) {\n',
    is: '  if (judged.isProved || !entry) {\n',
  },
  {
    name: 'the story of what is proved by an import is lost',
    file: TAKE,
    was: '      ...(entry && { story: storyOf({ ...entry, order }) }),\n',
    is: '',
  },
  {
    name: 'the story of what is proved by a look is lost',
    file: TAKE,
    was: 'storing, deadline, { story })',
    is: 'storing, deadline, {})',
  },
  {
    name: 'the log does not begin with the story',
    file: 'src/actors/order/made-order.ts',
    was: 'recalls: changes.flatMap(recallOf),',
    is: 'recalls: changes.slice(changes.length).flatMap(recallOf),',
  },
  {
    name: 'a stranger changes the token of what is for sale',
    file: 'src/actors/events/labels.ts',
    was: 'lacking.protocolId === protocolId && lacking.token === undefined',
    is: 'lacking.protocolId === protocolId',
  },
  {
    name: 'a withdrawal is applied without its proof being checked',
    file: 'src/actors/order/objection-to-withdrawal.ts',
    was: "if (command.by === 'operator') return null",
    is: 'if (command.by !== undefined) return null',
  },
  {
    name: 'a change is noted as delivered before it is sent',
    file: DELIVERY,
    was: "const attempt = await this.#attempt(change, text, signal)\n    if (signal.aborted) return 'failed'",
    is: "await this.#save(afterDelivery(this.#at, change.offset))\n    const attempt = await this.#attempt(change, text, signal)\n    if (signal.aborted) return 'failed'",
  },
  {
    name: 'what failed lets the next change pass',
    file: DELIVERY,
    was: "if (took !== 'taken') break",
    is: "if (took === 'gone') break",
  },
  {
    name: 'dead letters are never sent again',
    file: DELIVERY,
    was: 'at <= webhook.retryAt',
    is: 'at > webhook.retryAt',
  },
  {
    name: 'a dead letter that fails again is forgotten',
    file: DELIVERY,
    was: 'afterLateFailure(this.#at, letter, tried)',
    is: 'withoutDead(this.#at, letter)',
  },
  {
    name: 'a partition that is given back at once is sent by nobody',
    file: 'src/gateway/webhooks/send-webhooks.ts',
    was: 'if (this.#owned.get(partition) === signal) this.#owned.delete(partition)',
    is: 'this.#owned.delete(partition)',
  },
]
