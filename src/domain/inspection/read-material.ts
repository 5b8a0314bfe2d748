import type { ErrorCode } from '../../schemas/api/errors.ts'
import type {
  InspectionProblem,
  InspectRequest,
  InspectResult,
  ProblemPlace,
} from '../../schemas/api/inspection.ts'
import type { Network } from '../../schemas/scalars.ts'
import { faultsOfEvent, type SaleEvent, saleOf } from '../nostr/nostr-event.ts'
import { PsbtRefusedError } from '../psbt/psbt-refused.ts'
import { type ArtifactReading, type Inspected, inspectText } from '../verdict/inspect.ts'
import { type Mended, mendPsbt } from './mend-psbt.ts'
import { type ProblemCode, problemOf } from './problem.ts'
import { slimmerPsbts } from './slim-psbt.ts'
import { psbtOfTransaction } from './transaction-psbt.ts'

/** What an inspection was sent, and the network that it must be for. */
export interface MaterialQuestion {
  request: InspectRequest
  network: Network
}

/** What was sent, as far as it can be read without asking an authority. */
export interface Material extends Pick<InspectResult, 'kind' | 'form'> {
  /** The code with which an import would refuse it. */
  refusedAs: ErrorCode | null
  sale: SaleEvent | null
  inspected: Inspected | null
  /** Problems of the text that were mended when the artifact was read. */
  textMends: string[]
  /** The text with its mendable bytes mended. */
  mended: Mended | null
  problems: InspectionProblem[]
  /** Points to the text that was read as a PSBT or transaction. */
  pointer: string
}

const BASE64_MAGIC = 'cHNidP8'
const HEX_MAGIC = /^70736274ff/i
const BASE64_PSBT = /cHNidP8[A-Za-z0-9+/_-]*={0,2}/g
const HEX_PSBT = /70736274ff[0-9a-f]*/gi
const TRANSACTION = /^0[0-9a-f]0{6}(?:[0-9a-f]{2})+$/i
/**
 * Longer text is not mended: no order's PSBT is longer, even with a line break every 64 characters.
 */
const MAX_MENDED = 140_000
const TRANSACTION_PLACE = { pointer: '/transaction' }

/** Reads a text as the PSBT of an order. */
type Reader = (text: string) => ArtifactReading

/**
 * Reads what was sent, and reports every problem that can be found without an authority. Each
 * distinct text is read once: one that is refused late costs as much as one that is accepted.
 */
export function readMaterial(
  { request, network }: MaterialQuestion,
  reader: Reader = inspectText,
): Material {
  const { event, transaction, psbt = '' } = request
  const read = readingOnce(reader)
  if (event === undefined) {
    const [kind, pointer] =
      transaction === undefined
        ? (['PSBT', '/psbt'] as const)
        : (['TRANSACTION', '/transaction'] as const)
    const text =
      transaction === undefined
        ? readText(psbt, { pointer, read })
        : readTransaction(transaction, read)
    return { ...withMended(text), kind, sale: null, pointer }
  }
  const pointer = '/event/content'
  const faults = [...faultsOfEvent(event, network)]
  const problems = faults.map(({ code, message, pointer: at }) =>
    problemOf(code, 'REFUSED', { pointer: `/event${at}` }, { message: sentenceOf(message) }),
  )
  const content = withMended(readText(event.content, { pointer, read }))
  const isForeign = faults[0]?.code === 'wrong_network'
  const refusal: ErrorCode = isForeign ? 'WRONG_NETWORK' : 'INVALID_EVENT'
  return {
    ...content,
    kind: 'EVENT',
    pointer,
    refusedAs: faults.length > 0 ? refusal : content.refusedAs,
    sale: saleOf(event),
    problems: [...problems, ...content.problems],
  }
}

function readingOnce(read: Reader): Reader {
  const readings = new Map<string, ArtifactReading>()
  return (text) => {
    const reading = readings.get(text) ?? read(text)
    readings.set(text, reading)
    return reading
  }
}

type Text = Pick<Material, 'form' | 'refusedAs' | 'inspected' | 'problems' | 'textMends'>

interface Reading {
  pointer: string
  read: Reader
}

function readText(text: string, reading: Reading): Text {
  const result = reading.read(text)
  if (result.status === 'refused') {
    return (
      readOtherwise(text, reading) ??
      readSlimmer(text, reading) ??
      refusedText(result, { pointer: reading.pointer })
    )
  }
  const { inspected } = result
  return { form: formOf(text), refusedAs: null, inspected, problems: [], textMends: [] }
}

/** Reads the text as what it seems to be: a PSBT with something around it, or a transaction. */
function readOtherwise(text: string, { pointer, read }: Reading): Text | null {
  if (text.length > MAX_MENDED) return null
  const plain = withoutSpace(text)
  const canonical = canonicalText(text)
  const attempts: [ProblemCode, Text['form'], () => string][] = [
    ['text_not_canonical', formOf(canonical), () => canonical],
  ]
  if (TRANSACTION.test(plain)) {
    attempts.push(['transaction_not_psbt', 'HEX', () => psbtOfTransaction(plain)])
  }
  for (const [code, form, textOf] of attempts) {
    const psbt = tried(textOf)
    const inspected = psbt && inspectedOf(read(psbt))
    if (inspected) return mendedText(inspected, [code], form, { pointer })
  }
  return null
}

const inspectedOf = (reading: ArtifactReading): Inspected | null =>
  reading.status === 'read' ? reading.inspected : null

const withoutSpace = (text: string): string => text.replace(/\s+/g, '')

const formOf = (text: string): 'HEX' | 'BASE64' => (HEX_MAGIC.test(text) ? 'HEX' : 'BASE64')

/**
 * The one PSBT in a text, without what is around it: quotes, `0x`, or the JSON in which a program
 * answers. Which of two is meant is not guessed.
 */
function canonicalText(text: string): string {
  const plain = withoutSpace(text)
  const [base64, ...others] = take(2, plain.matchAll(BASE64_PSBT))
  if (others.length > 0) return plain
  if (base64 !== undefined) {
    // The decoder skips characters that are none of base64, wherever they are.
    const whole = plain.startsWith(BASE64_MAGIC) ? plain : base64
    return Buffer.from(whole, 'base64').toString('base64')
  }
  const [hex = plain, ...more] = take(2, plain.matchAll(HEX_PSBT))
  return more.length > 0 ? plain : hex
}

function take(most: number, found: Iterable<RegExpExecArray>): string[] {
  const texts: string[] = []
  for (const [text] of found) if (texts.push(text) === most) break
  return texts
}

/** Reads a PSBT that is too large, and would not be with less of its previous transactions. */
function readSlimmer(text: string, { pointer, read }: Reading): Text | null {
  const canonical = canonicalText(text)
  if (!isTooLarge(read(canonical))) return null
  const slimmer = tried(() => slimmerPsbts(canonical))?.find((psbt) => !isTooLarge(read(psbt)))
  const inspected = slimmer === undefined ? null : inspectedOf(read(slimmer))
  if (!inspected) return null
  const codes: ProblemCode[] = [
    ...(canonical === text ? [] : ['text_not_canonical' as const]),
    'psbt_too_large',
  ]
  return {
    ...mendedText(inspected, codes, formOf(canonical), { pointer }),
    refusedAs: 'PSBT_TOO_LARGE',
  }
}

const isTooLarge = (reading: ArtifactReading): boolean =>
  reading.status === 'refused' && reading.code === 'PSBT_TOO_LARGE'

function readTransaction(text: string, read: Reader): Text {
  const plain = text.length > MAX_MENDED ? text : withoutSpace(text)
  try {
    const reading = read(psbtOfTransaction(plain))
    if (reading.status === 'refused') return refusedTransaction(reading)
    return mendedText(reading.inspected, ['transaction_not_psbt'], 'HEX', TRANSACTION_PLACE)
  } catch (error) {
    if (error instanceof PsbtRefusedError) return refusedTransaction(error)
    throw error
  }
}

function refusedTransaction(refusal: Refusal): Text {
  const refused = refusedText(refusal, TRANSACTION_PLACE)
  if (refusal.code === 'PSBT_TOO_LARGE') return refused
  const message = sentenceOf(refusal.message)
  return {
    ...refused,
    problems: [problemOf('invalid_transaction', 'REFUSED', TRANSACTION_PLACE, { message })],
  }
}

const mendedText = (
  inspected: Inspected,
  codes: ProblemCode[],
  form: Text['form'],
  place: ProblemPlace,
): Text => ({
  form,
  refusedAs: 'INVALID_PSBT',
  inspected,
  problems: codes.map((code) => problemOf(code, 'REFUSED', place)),
  textMends: codes,
})

type Refusal = Pick<PsbtRefusedError, 'code' | 'message'>

function refusedText({ code, message }: Refusal, place: ProblemPlace): Text {
  const problem = code === 'PSBT_TOO_LARGE' ? 'psbt_too_large' : 'invalid_psbt'
  return {
    form: null,
    refusedAs: code,
    inspected: null,
    problems: [problemOf(problem, 'REFUSED', place, { message: sentenceOf(message) })],
    textMends: [],
  }
}

const withMended = (text: Text): Text & Pick<Material, 'mended'> => ({
  ...text,
  mended: text.inspected && mendPsbt(text.inspected),
})

function tried<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof PsbtRefusedError) return null
    throw error
  }
}

const sentenceOf = (words: string): string => `${words.slice(0, 1).toUpperCase()}${words.slice(1)}.`
