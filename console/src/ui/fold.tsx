import type { ComponentChildren } from 'preact'

interface FoldParts {
  id: string
  title: string
  /** Beside the title, while it is closed too. */
  note?: ComponentChildren
  isOpen?: boolean
  children: ComponentChildren
}

/** A card whose content is opened on demand. */
export const Fold = ({ id, title, note, isOpen = false, children }: FoldParts) => (
  <section class="card fold" aria-labelledby={id}>
    <details open={isOpen}>
      <summary>
        <h2 id={id}>{title}</h2> {note !== undefined && <span class="quiet">{note}</span>}
      </summary>
      {children}
    </details>
  </section>
)
