import { hash } from 'node:crypto'
import type { OrderRecord } from '../../schemas/order-record.ts'
import {
  type JudgedOrder,
  type Observed,
  type SummaryTerms,
  shownAt,
  toSummary,
} from './order-summary.ts'

/**
 * An order's summary as the text of its JSON, split at the values that the moment decides: it is
 * written once for each change of the order, and completed at each read (ADR 73).
 */
export interface StoredAnswer {
  /** What those values depend on. */
  judged: JudgedOrder
  /**
   * The text before `actionability`, before `validation.checkedAt`, and the rest; of a settled
   * order, the rest is cut before `settlement.confirmations` too.
   */
  pieces: readonly string[]
  /** The digest of the pieces: base64url. */
  digest: string
}

/** A completed answer: its JSON, and a strong ETag without its quotes. */
export interface ShownAnswer {
  body: string
  tag: string
}

/** Fields whose values the moment decides, by path, in the order of the summary. */
const CUTS: ReadonlySet<string> = new Set([
  '.actionability',
  '.validation.checkedAt',
  '.settlement.confirmations',
])
/** Paths of objects with such a field. */
const CUT_OBJECTS: ReadonlySet<string> = new Set(
  [...CUTS].map((cut) => cut.slice(0, cut.lastIndexOf('.'))).filter((path) => path !== ''),
)
/** Bytes of the digest, of 32: enough to distinguish any two texts. */
const DIGEST_BYTES = 16

/** The answer that is stored with the order: the text of a hidden one is withheld. */
export function answerOf(order: OrderRecord): StoredAnswer {
  const { summary } = toSummary(
    { order, freshness: null },
    { now: 0, maxAgeSeconds: 0, capabilityOf: () => null },
  )
  const pieces = ['']
  write(pieces, '', summary)
  const digest = hash('sha256', pieces.map((piece) => `${piece}\0`).join(''), 'buffer')
  const short = digest.subarray(0, DIGEST_BYTES).toString('base64url')
  return { judged: judgedOf(order), pieces, digest: short }
}

/** The answer at a moment: the same bytes as `toSummary` gives. */
export function showAnswer(
  { order: { judged, pieces, digest }, freshness }: Observed<StoredAnswer>,
  terms: Omit<SummaryTerms, 'showsHidden'>,
): ShownAnswer {
  const shown = shownAt({ order: judged, freshness }, terms)
  const { actionability, checkedAt, confirmations } = shown
  const [start, middle, rest, end] = pieces
  const last = end === undefined ? rest : `${rest}${confirmations}${end}`
  return {
    // Neither needs an escape in JSON: a word of a closed list, and a timestamp.
    body: `${start}"${actionability}"${middle}"${checkedAt}"${last}`,
    tag: `${digest}.${actionability}.${checkedAt}.${confirmations ?? ''}`,
  }
}

/** As `JSON.stringify` writes it; a new piece begins after each value that is left out. */
function write(pieces: string[], path: string, value: object): void {
  let before = '{'
  // Whatever is not cut is written at once: a call for each field takes twice as long.
  let whole: Record<string, unknown> = {}
  const append = (text: string) => {
    if (text !== '') pieces.push(`${pieces.pop() ?? ''}${before}${text}`)
    if (text !== '') before = ','
  }
  const appendWhole = () => {
    append(JSON.stringify(whole).slice(1, -1))
    whole = {}
  }
  for (const [key, field] of Object.entries(value)) {
    const at = `${path}.${key}`
    const isCut = CUTS.has(at)
    if (field === undefined || !(isCut || CUT_OBJECTS.has(at))) {
      whole[key] = field
      continue
    }
    appendWhole()
    append(`${JSON.stringify(key)}:`)
    if (isCut) pieces.push('')
    else write(pieces, at, field as object)
  }
  appendWhole()
  pieces.push(`${pieces.pop() ?? ''}}`)
}

const judgedOf = (order: OrderRecord): JudgedOrder => ({
  id: order.id,
  state: order.state,
  kept: {
    inspection: {
      orderClass: order.kept.inspection.orderClass,
      safety: order.kept.inspection.safety,
    },
  },
  anchor: order.anchor && {
    watermark: order.anchor.watermark,
    ...(order.anchor.ahead ? { ahead: true } : {}),
  },
  spend: order.spend && { block: order.spend.block && { height: order.spend.block.height } },
  verifiedAt: order.verifiedAt,
  validation: { checkedAt: order.validation.checkedAt },
  ...(order.settlement && { settlement: { confirmations: order.settlement.confirmations } }),
  ...(order.protocolId === undefined ? {} : { protocolId: order.protocolId }),
  ...(order.hidden && { hidden: {} }),
})
