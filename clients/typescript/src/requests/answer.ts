/** A whole answer. */
export interface Answer {
  status: number
  headers: Headers
  text: string
}
