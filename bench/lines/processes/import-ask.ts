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

/** Imports lines of a batch, with the key of a customer; throws unless each is answered with 201. */
export async function importBatch(
  address: string,
  key: string,
  lines: readonly string[],
): Promise<void> {
  const answer = await fetch(`${address}/api/market/orders/import/batch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' },
    body: lines.join('\n'),
  })
  const answers = (await answer.text()).trimEnd().split('\n')
  const refused = answers.find((line) => !line.includes('"status":201'))
  if (answer.status !== 200 || refused || answers.length < lines.length)
    throw new Error(`answered ${answer.status}: ${refused ?? `${answers.length} lines`}`)
}
