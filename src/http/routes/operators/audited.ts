import type { FastifyRequest } from 'fastify'

const MAX_CHARACTERS = 1_000

/** `asks to hide an order`, `hid an order`. */
export interface ActWords {
  act: string
  acted: string
}

/**
 * Records in the server's log which operator requests what, and then that it was done, refused or
 * failed. Warnings, so that no usual LOG_LEVEL hides them; one before the act, which may take long.
 * Operators see the newest of them, too.
 */
export async function audited<T>(
  { operator, log, server }: Pick<FastifyRequest, 'operator' | 'log' | 'server'>,
  about: Record<string, unknown>,
  { act, acted }: ActWords,
  perform: (operator: string) => Promise<T>,
): Promise<T> {
  if (operator === null) throw new Error('an operator route was reached without an operator')
  const audit = { operator, ...about }
  const noted = { operator, about: textOf(about) }
  log.warn({ audit }, `an operator asks to ${act}`)
  try {
    const done = await perform(operator)
    log.warn({ audit }, `an operator ${acted}`)
    server.recentActs.note({ ...noted, act: acted, refused: null })
    return done
  } catch (error) {
    const { code = 'failed' } = error as { code?: string }
    log.warn({ audit: { ...audit, code } }, `an operator could not ${act}`)
    server.recentActs.note({ ...noted, act, refused: code })
    throw error
  }
}

const textOf = (about: Record<string, unknown>): string =>
  Object.entries(about)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name} ${[value].flat().join(' ')}`)
    .join(', ')
    .slice(0, MAX_CHARACTERS)
