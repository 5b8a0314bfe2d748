/** A whole answer. */
export interface Answer {
  status: number
  headers: Headers
  bytes: Uint8Array<ArrayBuffer>
  /** The bytes, as UTF-8. */
  readonly text: string
}
