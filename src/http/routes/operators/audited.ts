import type { FastifyRequest } from 'fastify'

/** `asks to hide an order`, `hid an order`. */
export interface ActWords {
  act: string
  acted: string
}

/**
 * Records in the server's log which operator requests what, and then that it was done, refused or
 * failed. Warnings, so that no usual LOG_LEVEL hides them; one before the act, which may take long.
 */
export async function audited<T>(
  { operator, log }: Pick<FastifyRequest, 'operator' | 'log'>,
  about: Record<string, unknown>,
  { act, acted }: ActWords,
  perform: (operator: string) => Promise<T>,
): Promise<T> {
  if (operator === null) throw new Error('an operator route was reached without an operator')
  const audit = { operator, ...about }
  log.warn({ audit }, `an operator asks to ${act}`)
  try {
    const done = await perform(operator)
    log.warn({ audit }, `an operator ${acted}`)
    return done
  } catch (error) {
    const { code = 'failed' } = error as { code?: string }
    log.warn({ audit: { ...audit, code } }, `an operator could not ${act}`)
    throw error
  }
}
