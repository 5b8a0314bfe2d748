import type { Capability, Catalog, ProtocolTemplate } from '../../schemas/api/catalog.ts'
import { ALIASES, GROUPS, MARKETS, type Market } from './catalog-data.ts'

/** Every market with its aliases after it, in display order (gateway spec 2.2, ProtocolTemplate). */
export const CATALOG: Catalog = buildCatalog()

/**
 * The ids under which orders of one market may be listed: the market and its aliases, whichever is
 * given. An id of no market maps to itself, since orders carry free text.
 */
export function marketIds(id: string): readonly string[] {
  const target = CATALOG.find((market) => market.id === id)?.aliasOf ?? id
  const ids = CATALOG.filter((market) => market.aliasOf === target).map((market) => market.id)
  return [target, ...ids]
}

/** Every id of a group, aliases included; empty for an unknown group. */
export const groupIds = (groupId: string): readonly string[] =>
  CATALOG.filter((market) => market.groupId === groupId).map((market) => market.id)

/** What a market can do with an order; null for an unknown id. */
export const capabilityOf = (id: string): Capability | null =>
  CATALOG.find((market) => market.id === id)?.capability ?? null

/** The ids of the markets whose orders a buyer can take here. */
export const HANDOFF_IDS: readonly string[] = CATALOG.filter(
  ({ capability }) => capability === 'PSBT_HANDOFF',
).map(({ id }) => id)

function buildCatalog(): Catalog {
  const entries = MARKETS.flatMap((market) => [
    { market, id: market.id, label: market.label },
    ...ALIASES.filter((alias) => alias.aliasOf === market.id).map((alias) => ({
      market,
      ...alias,
    })),
  ])
  return entries.map(({ market, ...named }, index) => template(market, named, index + 1))
}

function template(
  market: Market,
  named: { id: string; label: string; aliasOf?: string },
  displayOrder: number,
): ProtocolTemplate {
  const groupIndex = GROUPS.findIndex((group) => group.id === market.groupId)
  const groupLabel = GROUPS[groupIndex]?.label
  if (groupLabel === undefined) throw new Error(`market ${market.id}: no group ${market.groupId}`)
  return {
    ...market,
    ...named,
    route: `/api/market/orders?protocol=${named.id}`,
    groupLabel,
    groupOrder: groupIndex + 1,
    displayOrder,
  }
}
