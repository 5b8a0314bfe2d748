import { groupedSats, lessOf } from './amounts.ts'

export interface Paid {
  /** Sats that the signer is paid. */
  paid: string
  /** Sats of the output that is handed over for it. */
  held: string
}

/** What is left to the seller; below zero it is a loss, which only a gift explains. */
export function NetNotice({ paid, held }: Paid) {
  const net = lessOf(paid, held) ?? '0'
  const isLoss = net.startsWith('-')
  return (
    <p class={isLoss ? 'stale' : undefined} role={isLoss ? 'alert' : undefined}>
      You receive {groupedSats(paid)} sats for an output that holds {groupedSats(held)}:{' '}
      {groupedSats(net)} sats net.
      {isLoss && ' You would lose them, and the asset.'}
    </p>
  )
}
