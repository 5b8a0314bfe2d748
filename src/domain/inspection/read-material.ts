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
import { type Inspected, inspectPsbt } from '../verdict/inspect.ts'
import { type Mended, mendPsbt } from './mend-psbt.ts'
import { type ProblemCode, problemOf } from './problem.ts'
import { slimmerPsbts } from './slim-psbt.ts'
import { psbtOfTransaction } from './transaction-psbt.ts'

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

/** Reads what was sent, and reports every problem that can be found without an authority. */
export function readMaterial(request: InspectRequest, network: Network): Material {
  const { event, transaction, psbt = '' } = request
  if (event === undefined) {
    const [kind, pointer] =
      transaction === undefined
        ? (['PSBT', '/psbt'] as const)
        : (['TRANSACTION', '/transaction'] as const)
    const read = transaction === undefined ? readText(psbt, pointer) : readTransaction(transaction)
    return { ...withMended(read), kind, sale: null, pointer }
  }
  const pointer = '/event/content'
  const faults = [...faultsOfEvent(event, network)]
  const problems = faults.map(({ code, message, pointer: at }) =>
    problemOf(code, 'REFUSED', { pointer: `/event${at}` }, { message: sentenceOf(message) }),
  )
  const content = withMended(readText(event.content, pointer))
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

type Text = Pick<Material, 'form' | 'refusedAs' | 'inspected' | 'problems' | 'textMends'>

function readText(text: string, pointer: string): Text {
  const form = formOf(text)
  try {
    return { form, refusedAs: null, inspected: inspectPsbt(text), problems: [], textMends: [] }
  } catch (error) {
    if (!(error instanceof PsbtRefusedError)) throw error
    return (
      readOtherwise(text, pointer) ?? readSlimmer(text, pointer) ?? refusedText(error, { pointer })
    )
  }
}

/** Reads the text as what it seems to be: a PSBT with something around it, or a transaction. */
function readOtherwise(text: string, pointer: string): Text | null {
  if (text.length > MAX_MENDED) return null
  const plain = withoutSpace(text)
  const canonical = canonicalText(text)
  const attempts: [ProblemCode, Text['form'], () => Inspected][] = [
    ['text_not_canonical', formOf(canonical), () => inspectPsbt(canonical)],
  ]
  if (TRANSACTION.test(plain)) {
    attempts.push(['transaction_not_psbt', 'HEX', () => inspectPsbt(psbtOfTransaction(plain))])
  }
  for (const [code, form, read] of attempts) {
    const inspected = tried(read)
    if (inspected) return mendedText(inspected, [code], form, { pointer })
  }
  return null
}

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
function readSlimmer(text: string, pointer: string): Text | null {
  const canonical = canonicalText(text)
  if (!isTooLarge(canonical)) return null
  const slimmer = tried(() => slimmerPsbts(canonical))?.find((psbt) => !isTooLarge(psbt))
  const inspected = slimmer === undefined ? null : tried(() => inspectPsbt(slimmer))
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

function isTooLarge(text: string): boolean {
  try {
    inspectPsbt(text)
    return false
  } catch (error) {
    return error instanceof PsbtRefusedError && error.code === 'PSBT_TOO_LARGE'
  }
}

function readTransaction(text: string): Text {
  const place = { pointer: '/transaction' }
  try {
    const plain = text.length > MAX_MENDED ? text : withoutSpace(text)
    const inspected = inspectPsbt(psbtOfTransaction(plain))
    return mendedText(inspected, ['transaction_not_psbt'], 'HEX', place)
  } catch (error) {
    if (!(error instanceof PsbtRefusedError)) throw error
    const refused = refusedText(error, place)
    if (error.code === 'PSBT_TOO_LARGE') return refused
    const message = sentenceOf(error.message)
    return {
      ...refused,
      problems: [problemOf('invalid_transaction', 'REFUSED', place, { message })],
    }
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

function refusedText({ code, message }: PsbtRefusedError, place: ProblemPlace): Text {
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
