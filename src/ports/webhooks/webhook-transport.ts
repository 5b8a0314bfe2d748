export interface WebhookPost {
  /** Its name: webhooks at one host do not wait for one another's connections. */
  webhook: string
  url: string
  headers: Readonly<Record<string, string>>
  body: string
}

/** Why there was no answer. */
export type WebhookTrouble =
  | 'address_not_allowed'
  | 'name_unknown'
  | 'unreachable'
  | 'tls_failed'
  | 'timeout'

export type WebhookAnswer =
  | { did: 'answer'; status: number; retryAfter: string | null }
  | { did: 'fail'; trouble: WebhookTrouble }

/** Posts to addresses that others chose: bounded in time and bytes, and only to public ones. */
export interface WebhookTransport {
  /** Follows no redirect. Never rejects. */
  post(request: WebhookPost, signal: AbortSignal): Promise<WebhookAnswer>
}

/**
 * The addresses that a name of the DNS resolves to now; none if it has none, or is not known in time.
 * Never rejects.
 */
export type NameLookup = (name: string) => Promise<readonly string[]>
