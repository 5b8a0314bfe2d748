import type { JsonPointer } from './json-places.ts'

/** The first error, and where: '' is the whole snapshot. */
export interface Fault {
  pointer: JsonPointer
  message: string
}

export const fault = (pointer: JsonPointer, message: string): Fault => ({ pointer, message })
