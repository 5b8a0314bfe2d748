import { z } from 'zod'
import { Hash } from '../scalars.ts'

/** NIPs add elements to a message (NIP-67 one to EOSE): those that are not read here are ignored. */
const FURTHER = z.unknown()

/**
 * What a relay may say to a read-only client (NIP-01, NIP-42). Only an event's id and time are read
 * here: whether it is valid is for the domain to judge.
 */
export const RelayFrame = z.union([
  z.tuple(
    [z.literal('EVENT'), z.string(), z.looseObject({ id: Hash, created_at: z.int() })],
    FURTHER,
  ),
  z.tuple([z.literal('EOSE'), z.string()], FURTHER),
  // Some relays give no reason.
  z.tuple([z.literal('CLOSED'), z.string()]),
  z.tuple([z.literal('CLOSED'), z.string(), z.string()], FURTHER),
  z.tuple([z.literal('NOTICE'), z.string()], FURTHER),
  z.tuple([z.literal('AUTH'), z.string()], FURTHER),
])
export type RelayFrame = z.infer<typeof RelayFrame>
