import { z } from 'zod'
import {
  Actionability,
  OrderClass,
  OrderSide,
  OrderState,
  Safety,
  SignatureStatus,
  Source,
} from '../scalars.ts'

const countsOf = <T extends z.ZodType<string>>(value: T) =>
  z.array(z.strictObject({ value, count: z.int().nonnegative() }))

/** Every value of a facet with its count, also those that no order has, in a fixed order. */
export const OrderFacets = z.strictObject({
  total: z.int().nonnegative().describe('orders that pass all filters'),
  facets: z.strictObject({
    state: countsOf(OrderState),
    side: countsOf(OrderSide),
    protocol: countsOf(z.string()).describe(
      'the markets of the catalog, each with its aliases; orders of other markets count in none',
    ),
    group: countsOf(z.string()),
    source: countsOf(Source).describe('an order counts for each of its sources'),
    orderClass: countsOf(OrderClass),
    safety: countsOf(Safety),
    signature: countsOf(SignatureStatus),
    actionability: countsOf(Actionability).describe('as of the answer, which may be 5 s old'),
  }),
})
export type OrderFacets = z.infer<typeof OrderFacets>
