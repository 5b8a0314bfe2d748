import { BadRequestError } from 'psbt-market-client'

/** What the client throws for a request that the service refuses with 400. */
export const badRequest = (
  code: 'VALIDATION_FAILED' | 'QUOTE_REFUSED' | 'SELF_SPEND_REFUSED',
  ...messages: string[]
) =>
  new BadRequestError({
    status: 400,
    code,
    requestId: null,
    retryAfter: null,
    param: null,
    docs: null,
    messages,
    body: null,
  })
