/** Of all frames together, and of what they unpack to. */
export const MAX_BYTES = 400_000
/** 1,295 is the most of BBQr, two digits of base 36. */
export const MAX_FRAMES = 1_295

/** What came of one more frame. */
export type Taken =
  | { state: 'more'; have: number; of: number }
  | { state: 'done'; bytes: Uint8Array }
  | { state: 'refused'; reason: string }

/** Collects the frames of one message, in any order; a repeated one changes nothing. */
export interface Frames {
  take(text: string): Promise<Taken>
}
