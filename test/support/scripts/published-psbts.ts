import { z } from 'zod'
import { vector } from '../vectors.ts'

const Bips = z.record(
  z.string(),
  z.object({
    invalid: z.array(z.object({ psbt: z.string() })),
    valid: z.array(z.string()),
    examples: z.array(z.string()),
  }),
)
const Rpc = z.object({ valid: z.array(z.string()), invalid: z.array(z.string()) })

/** Every PSBT of BIP-174, BIP-370, BIP-371 and Bitcoin Core's tests, valid or not, base64. */
export function publishedPsbts(): string[] {
  const bips = Object.values(Bips.parse(vector('bip-psbt.json')))
  const rpc = Rpc.parse(vector('rpc_psbt.json'))
  const ofBips = bips.flatMap(({ valid, examples, invalid }) => [
    ...valid,
    ...examples,
    ...invalid.map(({ psbt }) => psbt),
  ])
  return [...ofBips, ...rpc.valid, ...rpc.invalid]
}
