import { CATALOG } from '../domain/catalog.ts'
import type { Catalog } from '../schemas/catalog.ts'

/** Every market, aliases marked by `aliasOf` (spec 2.2, ProtocolTemplate). */
export const readCatalog = (): Catalog => CATALOG
