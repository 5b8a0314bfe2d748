import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { useFaults } from './faults.ts'

/** What ties a field to its hint and its fault. */
export interface FieldTies {
  id: string
  name: string
  'aria-describedby': string | undefined
  'aria-invalid': true | undefined
}

interface FieldParts {
  /** That of the request's field: a refusal names it. */
  name: string
  label: string
  /** Below the field, always. */
  hint?: ComponentChildren
  /** What to write: it is shown where the field is refused. */
  cure?: string
  isWide?: boolean
  /** The input, select or textarea. */
  children(ties: FieldTies): ComponentChildren
}

/** A labelled field, with what is wrong with it below it. */
export function Field({ name, label, hint, cure, isWide = false, children }: FieldParts) {
  const id = useId()
  const fault = useFaults().byField.get(name)
  const hintId = hint === undefined ? undefined : `${id}-hint`
  const faultId = fault && `${id}-fault`
  const describedBy = [hintId, faultId].filter((one) => one !== undefined).join(' ')
  return (
    <div class={isWide ? 'field wide' : 'field'}>
      <label for={id}>{label}</label>
      {children({
        id,
        name,
        'aria-describedby': describedBy || undefined,
        'aria-invalid': fault ? true : undefined,
      })}
      {hint !== undefined && (
        <span class="under" id={hintId}>
          {hint}
        </span>
      )}
      {fault && (
        <span class="fault stranger" id={faultId}>
          {fault.isShape && cure ? cure : [fault.text, cure].filter(Boolean).join(' ')}
        </span>
      )}
    </div>
  )
}
