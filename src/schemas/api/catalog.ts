import { z } from 'zod'

export const Capability = z.enum(['PSBT_HANDOFF', 'EXTERNAL_SETTLEMENT'])
export type Capability = z.infer<typeof Capability>

export const BuilderProfile = z.enum(['OPEN_ASK', 'EXTERNAL_PSBT', 'EXTERNAL_SETTLEMENT'])
export type BuilderProfile = z.infer<typeof BuilderProfile>

/** What works for a market today: each is true only where the service provides it. */
export const ProtocolCapabilities = z.strictObject({
  browse: z.boolean(),
  createListing: z.boolean(),
  /** The local index proves where the asset is, not merely that its output is unspent. */
  verifyAssetSemantics: z.boolean(),
  reviewOnlyHandoff: z.boolean(),
  externalSettlement: z.boolean(),
  sourceIngestion: z.boolean(),
  mediaResolution: z.boolean(),
})
export type ProtocolCapabilities = z.infer<typeof ProtocolCapabilities>

const Id = z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'must be a lowercase word')

/** One market of the catalog (gateway spec 2.2). */
export const ProtocolTemplate = z.strictObject({
  id: Id,
  label: z.string().min(1),
  /** The path of its order list, below the origin. */
  route: z.string().startsWith('/'),
  family: z.enum(['bitcoin', 'dogecoin', 'counterparty']),
  capability: Capability,
  builderProfile: BuilderProfile,
  assetRequirement: z.enum(['INSCRIPTION', 'OUTPOINT', 'NONE']),
  templateLabel: z.string().min(1),
  templateGuidance: z.string().min(1),
  verificationScope: z.string().min(1),
  capabilities: ProtocolCapabilities,
  groupId: Id,
  groupLabel: z.string().min(1),
  groupOrder: z.int().positive(),
  displayOrder: z.int().positive(),
  aliasOf: Id.exactOptional(),
})
export type ProtocolTemplate = z.infer<typeof ProtocolTemplate>

export const Catalog = z.array(ProtocolTemplate)
export type Catalog = z.infer<typeof Catalog>
