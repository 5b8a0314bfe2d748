import type { JsonPointer } from './json-places.ts'

/** The first thing that is wrong, and where: '' is the whole. */
export interface Fault {
  pointer: JsonPointer
  message: string
}

export const fault = (pointer: JsonPointer, message: string): Fault => ({ pointer, message })
