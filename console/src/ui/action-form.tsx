import type { ComponentChildren } from 'preact'
import type { FormEvent } from './form-text.ts'
import { Trouble } from './trouble.tsx'

/** A mutation, by what a form shows of it. */
interface Action<Answer> {
  isPending: boolean
  error: unknown
  data: Answer | undefined
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
  /** What the answer looks like; absent: its page shows it elsewhere. */
  show?(answer: Answer): ComponentChildren
}

/** A form whose button does something, and below it what came of that: the answer, or what failed. */
export function ActionForm<Answer>({
  action: { isPending, error, data },
  submit,
  button,
  pending = button,
  layout = 'form',
  children,
  show,
}: ActionFormProps<Answer>) {
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    submit(new FormData(event.currentTarget))
  }
  return (
    <>
      <form class={layout} onSubmit={onSubmit}>
        {children}
        <button type="submit" disabled={isPending}>
          {isPending ? pending : button}
        </button>
      </form>
      <div aria-live="polite">
        {error !== null && <Trouble error={error} />}
        {data !== undefined && show?.(data)}
      </div>
    </>
  )
}
