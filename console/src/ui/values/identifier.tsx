import { useCopy } from '../use-copy.ts'

const SHOWN = 8

export const shortened = (id: string): string =>
  id.length > 2 * SHOWN + 3 ? `${id.slice(0, SHOWN)}…${id.slice(-SHOWN)}` : id

/**
 * A long identifier, shortened, that a click copies whole. The sign of that has its place behind it: no
 * full stop and no comma follows it.
 */
export function Identifier({ id, name }: { id: string; name: string }) {
  const { outcome, copy } = useCopy(id)
  return (
    <>
      <button type="button" class="identifier" title={`Copy the ${name} ${id}`} onClick={copy}>
        {outcome ?? shortened(id)}
        <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
          <path d="M5.5 5.5h8v8h-8zM3.5 10.5h-1v-8h8v1" />
        </svg>
      </button>
      <span class="unseen" role="status">
        {outcome}
      </span>
    </>
  )
}
