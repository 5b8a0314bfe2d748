import { Identifier } from '../ui/values/identifier.tsx'
import { type Explored, ExplorerLink } from './explorer-link.tsx'

/** An identifier, and the page that the operator's explorer has of it. */
export const ExploredId = ({ of, id, name }: { of: Explored; id: string; name: string }) => (
  <>
    <Identifier id={id} name={name} />
    <ExplorerLink of={of} id={id} name={name} />
  </>
)
