import { describe, expect, test } from 'vitest'
import { CATALOG, capabilityOf, groupIds, marketIds } from '../../../src/domain/catalog/catalog.ts'
import { scopeFor } from '../../../src/domain/catalog/signed-by.ts'
import { Catalog } from '../../../src/schemas/api/catalog.ts'

const markets = CATALOG.filter((market) => market.aliasOf === undefined)
const aliases = CATALOG.filter((market) => market.aliasOf !== undefined)

test('the catalog has the shape that the spec gives it', () => {
  expect(Catalog.parse(CATALOG)).toEqual(CATALOG)
})

test('every id occurs once, and display order is the order of the list', () => {
  const ids = CATALOG.map((market) => market.id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(CATALOG.map((market) => market.displayOrder)).toEqual(ids.map((_id, index) => index + 1))
})

test('a group has one label and one place, and no two groups share a place', () => {
  const places = new Map(CATALOG.map((market) => [market.groupId, market]))
  for (const { groupId, groupLabel, groupOrder } of CATALOG) {
    expect(places.get(groupId)).toMatchObject({ groupLabel, groupOrder })
  }
  const orders = [...places.values()].map((market) => market.groupOrder)
  expect(new Set(orders).size).toBe(places.size)
})

test('the families and markets of the design are there', () => {
  expect(markets.map((market) => [market.family, market.id])).toEqual([
    ['bitcoin', 'inscriptions'],
    ['bitcoin', 'recursive-inscriptions'],
    ['bitcoin', 'cursed-inscriptions'],
    ['bitcoin', 'names'],
    ['bitcoin', 'bitmap'],
    ['bitcoin', 'brc20'],
    ['bitcoin', 'runes'],
    ['bitcoin', 'rare-sats'],
    ['dogecoin', 'doginals'],
    ['counterparty', 'counterparty'],
  ])
})

test('an alias points to a market, has all its properties, and is not an alias of an alias', () => {
  expect(aliases.length).toBeGreaterThan(0)
  for (const alias of aliases) {
    const target = markets.find((market) => market.id === alias.aliasOf)
    const { id, label, route, displayOrder, aliasOf, ...shared } = alias
    expect(target).toMatchObject(shared)
  }
})

describe('nothing claims a flow that does not work [spec 1 rule 6] [spec 2.2 ProtocolCapabilities]', () => {
  test.each(CATALOG)('$id', ({ id, capability, assetRequirement, capabilities, ...market }) => {
    // What they do is tested by test/roles/catalog.integration.test.ts. Only an inscription has content.
    expect(capabilities.mediaResolution).toBe(assetRequirement === 'INSCRIPTION')
    // Only an inscription's location is proved by the index.
    expect(capabilities.verifyAssetSemantics).toBe(assetRequirement === 'INSCRIPTION')
    const external = capability === 'EXTERNAL_SETTLEMENT'
    expect(capabilities.externalSettlement).toBe(external)
    expect(capabilities.createListing).toBe(!external)
    expect(capabilities.sourceIngestion).toBe(!external)
    expect(capabilities.reviewOnlyHandoff).toBe(!external)
    expect(market.builderProfile).toBe(external ? 'EXTERNAL_SETTLEMENT' : 'OPEN_ASK')
    expect(market.verificationScope).toMatch(external ? /^Proves nothing/ : /^Proves that .+ Not /)
    // A page shows the half that is of its order's side.
    const scopes = (['ASK', 'BID'] as const).map((side) => scopeFor(side, market.verificationScope))
    expect(scopes[0] === scopes[1]).toBe(external)
    if (!external) expect(scopes[1]).not.toMatch(/seller|offered/)
    expect(market.route).toBe(`/api/market/orders?protocol=${id}`)
  })
})

describe('filters', () => {
  test('a market and its aliases are one, whichever is named', () => {
    expect(marketIds('inscriptions')).toEqual(['inscriptions', 'ordinals'])
    expect(marketIds('ordinals')).toEqual(['inscriptions', 'ordinals'])
  })

  test('an unknown id represents itself', () => {
    expect(marketIds('a market of my own')).toEqual(['a market of my own'])
  })

  test('a group is every protocol that it contains [spec 4.1 group]', () => {
    expect(groupIds('tokens')).toEqual(['brc20', 'brc-20', 'runes'])
    expect(groupIds('no such group')).toEqual([])
  })
})

test('capability is that of the market, through an alias too, and null for a market unknown', () => {
  expect(capabilityOf('ordinals')).toBe('PSBT_HANDOFF')
  expect(capabilityOf('xcp')).toBe('EXTERNAL_SETTLEMENT')
  expect(capabilityOf('no such market')).toBeNull()
})
