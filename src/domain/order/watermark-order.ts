import type { WatermarkRef } from '../../schemas/evidence.ts'

/** Does `a` come before `b`? A lower epoch belongs to a writer that was replaced. */
export const precedes = (a: WatermarkRef, b: WatermarkRef): boolean =>
  a.epoch < b.epoch || (a.epoch === b.epoch && a.n < b.n)

/** A jump in n is a gap; a new epoch starts at 0, and its first watermark covers what was missed. */
export const follows = (next: WatermarkRef, last: WatermarkRef): boolean =>
  next.epoch === last.epoch ? next.n === last.n + 1 : next.n === 0
