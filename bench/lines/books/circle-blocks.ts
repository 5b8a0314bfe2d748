import { circleKey, edgeKey, shardKey } from '../../../src/circles/record-keys.ts'
import type { RecordChange } from '../../../src/ports/folds/circle-store.ts'
import type {
  Lineage,
  Member,
  Section,
  SectionRecords,
  Shard,
} from '../../../src/schemas/api/circles.ts'
import { toBlockHash, toOutpointText, toTxid } from '../../../test/support/ids.ts'
import { dice } from '../../../test/support/orders/order-book.ts'

/** Four of five members continue a lineage, as long as there is one. */
const CONTINUED = 0.8

/** Blocks of circles, the same in each run: what a fold would make of them. */
export class CircleBlocks {
  readonly #random = dice(7)
  /** Unspent shards with their lineages: all that blocks need to know of earlier ones. */
  readonly #current: { shard: Shard; lineage: Lineage }[] = []
  shards = 0

  /** 2 to 16 members, small numbers more often. */
  #size(): number {
    return 2 + this.#random.below(1 + this.#random.below(15))
  }

  /** The changes of a block of circles. */
  block(height: number, circles: number): RecordChange[] {
    const random = this.#random
    const changes = new Map<string, RecordChange>()
    const put = <S extends Section>(section: S, key: string, after: SectionRecords[S]) =>
      changes.set(`${section} ${key}`, { section, key, before: null, after } as RecordChange)
    for (let index = 1; index <= circles; index++) {
      const txid = toTxid(random.hex(32))
      const key = circleKey(height, index)
      const members = Array.from({ length: this.#size() }, (_, slot): Member => {
        const goesOn = this.#current.length > 100 && random.chance(CONTINUED)
        const spent = goesOn
          ? this.#current.splice(random.below(this.#current.length), 1)[0]
          : undefined
        const outpoint = toOutpointText(`${txid}:${slot}`)
        const lineage: Lineage = {
          lineageId: random.hex(32),
          genesisOutpoint: toOutpointText(`${random.hex(32)}:${random.below(4)}`),
          status: 'active',
          firstHeight: height,
          closedByTxid: null,
          ...spent?.lineage,
          currentOutpoint: outpoint,
          lastHeight: height,
          circleCount: (spent?.lineage.circleCount ?? 0) + 1,
        }
        const { lineageId } = lineage
        const inputOutpoint = spent?.shard.outpoint ?? lineage.genesisOutpoint
        const shard: Shard = {
          outpoint,
          lineageId,
          scriptPubKey: `5120${random.hex(32)}`,
          valueSats: '1000000',
          createdByCircle: txid,
          previousOutpoint: inputOutpoint,
          createdHeight: height,
          spentByTxid: null,
          spentHeight: null,
        }
        if (spent) {
          const { shard: before } = spent
          put('shards', shardKey(inputOutpoint), {
            ...before,
            spentByTxid: txid,
            spentHeight: height,
          })
          put('edges', edgeKey(key, inputOutpoint), {
            fromCircle: before.createdByCircle,
            toCircle: txid,
            lineageId,
            viaOutpoint: inputOutpoint,
          })
        }
        put('lineages', lineageId, lineage)
        put('shards', shardKey(outpoint), shard)
        this.#current.push({ shard, lineage })
        this.shards += 1
        return {
          slot,
          lineageId,
          inputOutpoint,
          outputOutpoint: outpoint,
          inputValueSats: '1000100',
          outputValueSats: '1000000',
          feeShareSats: '100',
          wasExistingLineage: spent !== undefined,
        }
      })
      put('circles', key, {
        txid,
        wtxid: random.hex(32),
        contextHash: random.hex(32),
        participantCount: members.length,
        feeSats: String(members.length * 100),
        blockHeight: height,
        blockHash: toBlockHash(random.hex(32)),
        transactionIndex: index,
        members,
      })
    }
    return [...changes.values()]
  }
}
