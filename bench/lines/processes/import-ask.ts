/** Imports an ask, base64, by `POST /orders/import`; throws unless it is answered with 201. */
export async function importAsk(address: string, psbt: string): Promise<void> {
  const answer = await fetch(`${address}/api/market/orders/import`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ psbt }),
  })
  const text = await answer.text()
  if (answer.status !== 201) throw new Error(`answered ${answer.status}: ${text}`)
}
