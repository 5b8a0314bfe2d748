import { readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { NostrEvent } from '../../src/schemas/wire/nostr.ts'

const FOLDER = path.resolve(import.meta.dirname, '../vectors')

/** The text of a file of test/vectors. */
export const vectorText = (name: string): string => readFileSync(path.join(FOLDER, name), 'utf8')

/** A JSON vector, not yet parsed by a schema. */
export const vector = (name: string): unknown => JSON.parse(vectorText(name))

const WildEvents = z.object({
  sale: z.object({
    event: NostrEvent,
    psbt: z.string(),
    inscriptionId: z.string(),
    claimedPriceSats: z.string(),
    txid: z.string(),
    vout: z.int(),
    valueSats: z.string(),
    scriptHex: z.string(),
  }),
  kind1002: NostrEvent,
})

/** A real sale with the facts of its order, and a real event of kind 1002. */
export const wildEvents = () => WildEvents.parse(vector('kind802-wild.json'))
