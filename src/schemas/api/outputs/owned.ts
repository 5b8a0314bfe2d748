import { z } from 'zod'
import { MAX_CHECKED, OutputsChecked } from './check.ts'

/** Outputs of an address in one answer: those with inscriptions first, then the largest. */
export const MAX_OWNED = MAX_CHECKED

export const OwnerPath = z.object({
  address: z.string().min(1).max(128).describe('an address of this network'),
})

export const AddressOutputs = z.strictObject({
  address: z.string(),
  ...OutputsChecked.shape,
  /** How many it has; the answer has at most 100 of them. */
  total: z.int().nonnegative(),
})
export type AddressOutputs = z.infer<typeof AddressOutputs>
