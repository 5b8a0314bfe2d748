import { z } from 'zod'
import { MAX_CHECKED, OutputsChecked } from './check.ts'

/** Outputs of an address in one answer: those with inscriptions first, then the largest; half of them is for each. */
export const MAX_OWNED = MAX_CHECKED

export const OwnerPath = z.object({
  address: z.string().min(1).max(128).describe('an address of this network'),
})

export const AddressOutputs = z.strictObject({
  address: z.string().describe('the address that was asked about'),
  ...OutputsChecked.shape,
  total: z.int().nonnegative().describe('how many it has; the answer has at most 100 of them'),
})
export type AddressOutputs = z.infer<typeof AddressOutputs>
