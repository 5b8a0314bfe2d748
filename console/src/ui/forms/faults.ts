import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { ApiError } from 'psbt-market-client'

/** A fault of one field, found by the page itself; the text says what to write instead. */
export class FieldError extends Error {
  override name = 'FieldError'
  readonly field: string

  constructor(field: string, text: string) {
    super(text)
    this.field = field
  }
}

/** For a failure that names no field: by its code it is of this one, and said in these words. */
export const atField =
  (field: string, words: Readonly<Record<string, string>>) =>
  (error: unknown): never => {
    const text = error instanceof ApiError ? words[error.code ?? ''] : undefined
    throw text === undefined ? error : new FieldError(field, text)
  }

/** What is wrong with one field. */
export interface FieldFault {
  /** A sentence. */
  text: string
  /** Its form is refused, which the field's own words for what to write say better. */
  isShape: boolean
}

export interface Faults {
  /** By the name of the field, the first of a failure first. */
  byField: ReadonlyMap<string, FieldFault>
  /** What is of no field of the form. */
  others: readonly string[]
}

export const NO_FAULT: Faults = { byField: new Map(), others: [] }

/** A name, or a path such as `asset.outpoint.vout`, before what is wrong with it. */
const NAMED = /^([A-Za-z][\w.-]{0,63}): (.+)$/s

/**
 * What failed, field by field. A form's fields have the names of the request's: `asset.outpoint.vout` is of
 * `asset.outpoint`. The header `Error-Param` names the field of a failure whose text does not.
 */
export function faultsOf(error: unknown, fields: readonly string[]): Faults {
  if (error === null || error === undefined) return NO_FAULT
  const byField = new Map<string, FieldFault>()
  const others: string[] = []
  const isShape = error instanceof ApiError && error.code === 'VALIDATION_FAILED'
  for (const { path, reason } of reasonsOf(error)) {
    const field = path === null ? bytesField(error, fields) : fieldFor(path, fields)
    if (field === undefined) others.push(path === null ? reason : `${path}: ${reason}`)
    else if (!byField.has(field)) byField.set(field, { text: sentenceOf(reason), isShape })
  }
  return { byField, others }
}

interface NamedReason {
  path: string | null
  reason: string
}

function reasonsOf(error: unknown): NamedReason[] {
  if (error instanceof FieldError) return [{ path: error.field, reason: error.message }]
  if (!(error instanceof Error)) return [{ path: null, reason: 'The request failed.' }]
  const texts = error instanceof ApiError ? error.messages : [error.message]
  return texts.map((text, at) => {
    const [, named, reason] = NAMED.exec(text) ?? []
    if (named !== undefined && reason !== undefined) return { path: named, reason }
    return { path: at === 0 && error instanceof ApiError ? error.param : null, reason: text }
  })
}

/** The field of that name, the one it is a part of, or the first of its parts. */
function fieldFor(path: string, fields: readonly string[]): string | undefined {
  const holders = fields.filter((name) => path === name || path.startsWith(`${name}.`))
  return (
    holders.sort((one, other) => other.length - one.length)[0] ??
    fields.find((name) => name.startsWith(`${path}.`))
  )
}

/** Refusals of what was pasted, whose texts name no field. */
const OF_BYTES = new Set(['INVALID_PSBT', 'PSBT_TOO_LARGE', 'INVALID_TRANSACTION', 'INVALID_EVENT'])

const bytesField = (error: unknown, fields: readonly string[]): string | undefined =>
  error instanceof ApiError && OF_BYTES.has(error.code ?? '')
    ? fields.find((name) => name === 'psbt' || name === 'signedPsbt')
    : undefined

function sentenceOf(reason: string): string {
  const text = `${reason.charAt(0).toUpperCase()}${reason.slice(1)}`
  return /[.!?…]$/.test(text) ? text : `${text}.`
}

const FaultContext = createContext<Faults>(NO_FAULT)
export const FaultsOf = FaultContext.Provider
/** The faults of the form around. */
export const useFaults = (): Faults => useContext(FaultContext)
