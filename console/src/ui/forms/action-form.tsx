import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { Trouble } from '../awaited/trouble.tsx'
import { FaultsOf, faultsOf } from './faults.ts'
import type { FormEvent } from './form-text.ts'

/** A mutation, by what a form shows of it. */
interface Action<Answer> {
  isPending: boolean
  error: unknown
  data: Answer | undefined
  reset(): void
}

interface ActionFormProps<Answer> {
  action: Action<Answer>
  submit(given: FormData): void
  /** The words of the button, and those shown while the answer is awaited. */
  button: string
  pending?: string
  /** Fields below each other, or in a line (`book.css`). */
  layout?: 'form' | 'controls'
  /** The fields. */
  children: ComponentChildren
  /** The answer is of an act, and stays; that of a question is taken away when a field is changed. */
  stays?: boolean
  /** What the answer looks like, `again` submits the form as it is now; absent: its page shows it elsewhere. */
  show?(answer: Answer, again: () => void): ComponentChildren
}

/**
 * A form whose button does something, and below it what came of that: the answer, or what failed. What is
 * wrong with a field is said at that field, which gets the focus.
 */
export function ActionForm<Answer>({
  action: { isPending, error, data, reset },
  submit,
  button,
  pending = button,
  layout = 'form',
  children,
  stays = false,
  show,
}: ActionFormProps<Answer>) {
  const form = useRef<HTMLFormElement>(null)
  const troubleId = useId()
  const faults = useMemo(() => faultsOf(error, namesIn(form.current)), [error])
  const isSaidAtFields =
    faults.others.length === 0 && [...faults.byField.keys()].every((name) => saysIt(form, name))
  useLayoutEffect(() => {
    const [first] = faults.byField.keys()
    const field = first === undefined ? null : fieldIn(form, first)
    if (!field) return
    const isSaidBelow = !field.closest('.field')
    if (isSaidBelow) field.setAttribute('aria-describedby', troubleId)
    field.closest('details')?.setAttribute('open', '')
    field.focus()
    return () => {
      if (isSaidBelow) field.removeAttribute('aria-describedby')
    }
  }, [faults, troubleId])
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    submit(new FormData(event.currentTarget))
  }
  const onInput = () => {
    if (!stays && (isPending || data !== undefined)) reset()
  }
  return (
    <>
      <form class={layout} onSubmit={onSubmit} onInput={onInput} ref={form}>
        <FaultsOf value={faults}>{children}</FaultsOf>
        <button type="submit" disabled={isPending}>
          {isPending ? pending : button}
        </button>
      </form>
      <div class="answer" aria-live="polite" id={troubleId}>
        {error !== null && !isSaidAtFields && <Trouble error={error} />}
        {data !== undefined && show?.(data, () => form.current?.requestSubmit())}
      </div>
    </>
  )
}

type FormRef = { current: HTMLFormElement | null }

const fieldsIn = (form: HTMLFormElement | null): Element[] => (form ? [...form.elements] : [])

const namesIn = (form: HTMLFormElement | null): string[] =>
  fieldsIn(form).flatMap((one) => one.getAttribute('name') ?? [])

const fieldIn = ({ current }: FormRef, name: string): HTMLElement | null =>
  (fieldsIn(current).find((one) => one.getAttribute('name') === name) as HTMLElement) ?? null

/** A `Field` has a place for what is wrong with it; of another, the form says it. */
const saysIt = (form: FormRef, name: string): boolean =>
  Boolean(fieldIn(form, name)?.closest('.field'))
