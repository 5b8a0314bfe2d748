import { readMaterial } from '../../src/domain/inspection/read-material.ts'
import { readSale } from '../../src/domain/nostr/sale-reading.ts'
import { inspectText } from '../../src/domain/verdict/inspect.ts'
import type { ArtifactInspector } from '../../src/ports/authorities/artifact-inspector.ts'

/** Reads on the test's own thread. */
export const artifactsHere: ArtifactInspector = {
  inspect: async (text) => inspectText(text),
  readSale: async (question) => readSale(question),
  readMaterial: async (question) => readMaterial(question),
}
