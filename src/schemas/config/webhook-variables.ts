import { z } from 'zod'
import { ConfiguredWebhook, MAX_WEBHOOKS } from '../webhooks/webhook-records.ts'
import { flag, list } from './variable-kinds.ts'

const FORM =
  'must be a JSON list of {"name", "url", "secrets": ["whsec_…"], "filter"}, the filter optional'

/** A problem says where it is, never the value there: it may be a secret. */
const endpoints = z.string().transform((text, context): ConfiguredWebhook[] => {
  const parsed = z.array(ConfiguredWebhook).max(MAX_WEBHOOKS).safeParse(jsonOf(text))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const where = issue?.path.join('.')
  context.addIssue({ code: 'custom', message: where ? `${FORM}: see ${where}` : FORM })
  return z.NEVER
})

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Variables of the webhooks. */
export const WEBHOOK_VARIABLES = {
  WEBHOOK_KEY: list
    .pipe(z.array(z.string().min(32, 'each key needs at least 32 characters')).max(2))
    .optional()
    .describe(
      'secret; the key that secrets of webhooks are made of, or two for rotation, the same in gateways and webhooks; by default generated once in DATA_DIR with ROLE=all',
    ),
  WEBHOOK_ENDPOINTS: endpoints
    .refine(
      (all) => new Set(all.map(({ name }) => name)).size === all.length,
      'must have each name once',
    )
    .optional()
    .describe(
      'secret; webhooks beside those that operators create: a JSON list of {"name", "url", "secrets", "filter"}',
    ),
  WEBHOOK_LOOPBACK: flag
    .default(false)
    .describe(
      'true: webhooks may be on this machine, and by http; for tests and the devnet, requires regtest',
    ),
}
