import type { Inspected } from '../../domain/verdict/inspect.ts'
import type { Gateway } from '../gateway.ts'
import { RefusalError } from '../refusal.ts'

/**
 * The PSBT of a request, inspected; `field` is the request field that held it.
 *
 * @throws RefusalError INVALID_PSBT, PSBT_TOO_LARGE
 */
export async function inspectArtifact(
  { artifacts }: Pick<Gateway, 'artifacts'>,
  field: string,
  text: string,
): Promise<Inspected> {
  const reading = await artifacts.inspect(text)
  if (reading.status === 'read') return reading.inspected
  throw new RefusalError(reading.code, `${field}: ${reading.message}`)
}
