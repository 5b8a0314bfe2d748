import type { Answer, ApiClient } from './api-client.ts'

/** An operator withdraws an order. */
export const moderate = (
  market: Pick<ApiClient, 'post'>,
  id: string,
  body: object,
  token: string,
): Promise<Answer> =>
  market.post(`admin/orders/${id}/withdraw`, body, { authorization: `Bearer ${token}` })
