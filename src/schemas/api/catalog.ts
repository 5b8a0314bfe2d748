import { z } from 'zod'

export const Capability = z.enum(['PSBT_HANDOFF', 'EXTERNAL_SETTLEMENT'])
export type Capability = z.infer<typeof Capability>

export const BuilderProfile = z.enum(['OPEN_ASK', 'EXTERNAL_PSBT', 'EXTERNAL_SETTLEMENT'])
export type BuilderProfile = z.infer<typeof BuilderProfile>

/** What works for a market today: each is true only where the service provides it. */
export const ProtocolCapabilities = z.strictObject({
  browse: z.boolean().describe('its orders can be listed'),
  createListing: z.boolean().describe('an ask for it can be built here'),
  verifyAssetSemantics: z
    .boolean()
    .describe('the asset index proves where the asset is, not only that its output is unspent'),
  reviewOnlyHandoff: z
    .boolean()
    .describe('its orders are only for review: no PSBT is handed to a buyer'),
  externalSettlement: z.boolean().describe('its sales are settled elsewhere'),
  sourceIngestion: z.boolean().describe('orders of other sources are taken for it'),
  mediaResolution: z.boolean().describe('what is sold can be shown from here'),
})
export type ProtocolCapabilities = z.infer<typeof ProtocolCapabilities>

const Id = z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'must be a lowercase word')

/** One market of the catalog (gateway spec 2.2). */
export const ProtocolTemplate = z.strictObject({
  id: Id.describe('id of the market, as `protocolId` of orders'),
  label: z.string().min(1).describe('name of the market'),
  route: z.string().startsWith('/').describe('path of its order list, below the origin'),
  family: z.enum(['bitcoin', 'dogecoin', 'counterparty']).describe('the chain that it belongs to'),
  capability: Capability.describe('how its sales are made'),
  builderProfile: BuilderProfile.describe('how its listings are built'),
  assetRequirement: z
    .enum(['INSCRIPTION', 'OUTPOINT', 'NONE'])
    .describe('what a listing must name'),
  templateLabel: z.string().min(1).describe('name of its kind of listing'),
  templateGuidance: z.string().min(1).describe('what a seller should know'),
  verificationScope: z
    .string()
    .min(1)
    .describe('what the verification of its orders proves, and what it does not'),
  capabilities: ProtocolCapabilities.describe('what works for it here'),
  groupId: Id.describe('id of its group'),
  groupLabel: z.string().min(1).describe('name of its group'),
  groupOrder: z.int().positive().describe('place of its group among the groups, from 1'),
  displayOrder: z.int().positive().describe('place of the market in its group, from 1'),
  aliasOf: Id.exactOptional().describe('id of the market that this id is another name of'),
})
export type ProtocolTemplate = z.infer<typeof ProtocolTemplate>

export const Catalog = z.array(ProtocolTemplate)
export type Catalog = z.infer<typeof Catalog>
