import type { ProtocolCapabilities, ProtocolTemplate } from '../../schemas/api/catalog.ts'
import { SIGNED_BY_EITHER } from './signed-by.ts'

/**
 * The markets, as data: groups and markets are in display order. A scope states what verification
 * proves and, as plainly, what it does not; it is never softened. A capability is true only where
 * the service provides it today.
 */

const OF_INSCRIPTIONS: ProtocolCapabilities = {
  browse: true,
  createListing: true,
  verifyAssetSemantics: true,
  reviewOnlyHandoff: true,
  externalSettlement: false,
  sourceIngestion: true,
  mediaResolution: true,
}

/**
 * The node proves the output; no index proves the asset that gives it value to a buyer, and nothing
 * shows it.
 */
const OF_OUTPUTS: ProtocolCapabilities = {
  ...OF_INSCRIPTIONS,
  verifyAssetSemantics: false,
  mediaResolution: false,
}

const SETTLED_ELSEWHERE: ProtocolCapabilities = {
  browse: false,
  createListing: false,
  verifyAssetSemantics: false,
  reviewOnlyHandoff: false,
  externalSettlement: true,
  sourceIngestion: false,
  mediaResolution: false,
}

const inscription = {
  family: 'bitcoin',
  capability: 'PSBT_HANDOFF',
  builderProfile: 'OPEN_ASK',
  assetRequirement: 'INSCRIPTION',
  templateGuidance:
    'Name the inscription with its output, a price and your payment address to build a PSBT; sign ' +
    'it in your own wallet with SINGLE|ANYONECANPAY; then publish it.',
  capabilities: OF_INSCRIPTIONS,
} as const

const output = {
  ...inscription,
  assetRequirement: 'OUTPOINT',
  templateGuidance:
    'Name the output that you sell, a price and your payment address to build a PSBT; sign it in ' +
    'your own wallet with SINGLE|ANYONECANPAY; then publish it.',
  capabilities: OF_OUTPUTS,
} as const

const elsewhere = {
  capability: 'EXTERNAL_SETTLEMENT',
  builderProfile: 'EXTERNAL_SETTLEMENT',
  assetRequirement: 'NONE',
  capabilities: SETTLED_ELSEWHERE,
} as const

const LOCATED =
  'Proves that the inscription is in the offered output, that the output is unspent, and that ' +
  `${SIGNED_BY_EITHER}.`

export const GROUPS = [
  { id: 'inscriptions', label: 'Inscriptions' },
  { id: 'names', label: 'Names and places' },
  { id: 'tokens', label: 'Tokens' },
  { id: 'sats', label: 'Sats' },
  { id: 'elsewhere', label: 'Settled elsewhere' },
] as const

type Derived = 'route' | 'groupLabel' | 'groupOrder' | 'displayOrder' | 'aliasOf'
export type Market = Omit<ProtocolTemplate, Derived>

export const MARKETS: readonly Market[] = [
  {
    ...inscription,
    id: 'inscriptions',
    label: 'Inscriptions',
    groupId: 'inscriptions',
    templateLabel: 'Sell an inscription',
    verificationScope: `${LOCATED} Not who made it, not what it shows, not that it is unique.`,
  },
  {
    ...inscription,
    id: 'recursive-inscriptions',
    label: 'Recursive inscriptions',
    groupId: 'inscriptions',
    templateLabel: 'Sell a recursive inscription',
    verificationScope: `${LOCATED} Not that it is recursive, nor that what it refers to exists.`,
  },
  {
    ...inscription,
    id: 'cursed-inscriptions',
    label: 'Cursed inscriptions',
    groupId: 'inscriptions',
    templateLabel: 'Sell a cursed inscription',
    verificationScope: `${LOCATED} Not that it is cursed: its number is shown as the index has it.`,
  },
  {
    ...inscription,
    id: 'names',
    label: 'Names and domains',
    groupId: 'names',
    templateLabel: 'Sell a name',
    verificationScope: `${LOCATED} Not that this inscription was the first with the name, nor that any resolver honours it.`,
  },
  {
    ...inscription,
    id: 'bitmap',
    label: 'Bitmap',
    groupId: 'names',
    templateLabel: 'Sell a bitmap',
    verificationScope: `${LOCATED} Not that this inscription was the first to claim its block.`,
  },
  {
    ...inscription,
    id: 'brc20',
    label: 'BRC-20 transfers',
    groupId: 'tokens',
    templateLabel: 'Sell a BRC-20 transfer inscription',
    verificationScope: `${LOCATED} Not that the transfer is still valid, nor what amount it moves.`,
  },
  {
    ...output,
    id: 'runes',
    label: 'Runes',
    groupId: 'tokens',
    templateLabel: 'Sell an output that holds runes',
    verificationScope:
      `Proves that the offered output is unspent and that ${SIGNED_BY_EITHER}. ` +
      'Not which runes it holds, nor how many.',
  },
  {
    ...output,
    id: 'rare-sats',
    label: 'Rare sats',
    groupId: 'sats',
    templateLabel: 'Sell an output that holds rare sats',
    verificationScope:
      `Proves that the offered output is unspent and that ${SIGNED_BY_EITHER}. ` +
      'Not which sats it holds, nor that any of them is rare.',
  },
  {
    ...elsewhere,
    id: 'doginals',
    label: 'Doginals',
    groupId: 'elsewhere',
    family: 'dogecoin',
    templateLabel: 'Doginals are settled on Dogecoin',
    templateGuidance: 'Listings of this market cannot be made, imported for sale or bought here.',
    verificationScope:
      'Proves nothing: this service follows no Dogecoin node and no Dogecoin index.',
  },
  {
    ...elsewhere,
    id: 'counterparty',
    label: 'Counterparty assets',
    groupId: 'elsewhere',
    family: 'counterparty',
    templateLabel: 'Counterparty assets are settled by Counterparty',
    templateGuidance: 'Listings of this market cannot be made, imported for sale or bought here.',
    verificationScope: 'Proves nothing: this service follows no Counterparty ledger.',
  },
]

/** Other names on orders in the wild: filters accept them, no market is offered under them. */
export const ALIASES = [
  { id: 'ordinals', label: 'Ordinals', aliasOf: 'inscriptions' },
  { id: 'domains', label: 'Domains', aliasOf: 'names' },
  { id: 'brc-20', label: 'BRC-20', aliasOf: 'brc20' },
  { id: 'rare-satoshis', label: 'Rare satoshis', aliasOf: 'rare-sats' },
  { id: 'xcp', label: 'XCP', aliasOf: 'counterparty' },
] as const
