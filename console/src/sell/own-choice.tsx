import { useState } from 'preact/hooks'
import type { ProtocolTemplate } from 'psbt-market-client'
import { useContent } from '../content/content.ts'
import { type Said, saidIn } from '../content/in-words.ts'
import { Preview } from '../content/preview.tsx'
import { useInView } from '../content/use-in-view.ts'
import { groupedSats } from '../ui/values/amounts.ts'
import { shortened } from '../ui/values/identifier.tsx'
import { namedInscription } from '../ui/values/order-title.ts'
import type { Sellable } from '../wallet/own-outputs.ts'

/** Pixels of the picture beside a choice. */
const SIZE = 40

interface OwnParts {
  own: readonly Sellable[]
  at: number
  choose(at: number): void
}

/** Which inscription of a wallet is sold: by what it shows, else its number, else its id. */
export const OwnChoice = ({ own, at, choose }: OwnParts) => (
  <fieldset class="holds">
    <legend>What is sold</legend>
    <div class="holds-list">
      {own.map((one, place) => (
        <Choice
          key={one.inscriptionId}
          one={one}
          value={place}
          isChosen={place === at}
          choose={() => choose(place)}
        />
      ))}
    </div>
  </fieldset>
)

interface OneChoice {
  one: Sellable
  value: number
  isChosen: boolean
  choose(): void
}

function Choice({ one, value, isChosen, choose }: OneChoice) {
  const { element, wasInView } = useInView<HTMLLabelElement>()
  const { inscriptionId, valueSats, contentType } = one
  const facts = [shortened(inscriptionId), contentType, `in ${groupedSats(valueSats)} sats`]
  return (
    <label ref={element} class="holds-one">
      <input type="radio" name="sold" value={value} checked={isChosen} onChange={choose} />
      <Preview inscriptionId={inscriptionId} size={SIZE} drawsSvg={false} />
      <span>
        <OwnTitle of={one} isWanted={wasInView} />
        <span class="under">{facts.filter(Boolean).join(', ')}</span>
      </span>
    </label>
  )
}

/** The service shows what was offered here before; of another the wallet may say the number. */
export function OwnTitle({ of, isWanted = true }: { of: Sellable; isWanted?: boolean }) {
  const said = useSaid(of.inscriptionId, isWanted)
  if (said !== null) return <bdi class="stranger">{said.words}</bdi>
  return <>{namedInscription(of.inscriptionId, of.number)}</>
}

function useSaid(inscriptionId: string, isWanted: boolean): Said | null {
  const content = useContent(inscriptionId, isWanted)
  return content?.kind === 'text' ? saidIn(content.text) : null
}

interface Labels {
  market: string
  token: string
}

/**
 * Where what is chosen is listed: by what its text says that it is, else by its number, else in the
 * first market; until the seller says otherwise of this very one.
 */
export function useLabelsOf(
  chosen: Sellable | undefined,
  markets: readonly ProtocolTemplate[],
): Labels & { write(labels: Partial<Labels>): void } {
  const id = chosen?.inscriptionId ?? ''
  const said = useSaid(id, id !== '')
  const [typed, setTyped] = useState<Partial<Labels> & { of?: string }>({})
  const own = typed.of === id ? typed : {}
  const isCursed = chosen?.number !== undefined && chosen.number < 0
  const wanted = said?.market ?? (isCursed ? 'cursed-inscriptions' : undefined)
  const found = markets.find((one) => one.id === wanted) ?? markets[0]
  return {
    market: own.market ?? found?.id ?? '',
    token: own.token ?? (found?.id === said?.market ? said?.token : undefined) ?? 'inscription',
    write: (labels) => setTyped({ ...own, ...labels, of: id }),
  }
}
