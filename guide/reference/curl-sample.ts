import { successOf } from './description.ts'
import { type Call, ORIGIN } from './sample-call.ts'

/** A command for a shell. */
export function curlOf({ operation, path, query, body, needsToken }: Call): string {
  const place = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(path[name]))
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) parameters.set(name, String(value))
  const search = parameters.toString()
  const isStream = successOf(operation).mediaType === 'text/event-stream'
  const isFile = operation.path.includes('{name}.')
  const isBatch = operation.requestBody !== undefined && body === undefined
  const lines = [
    `curl ${isStream ? '-N' : isFile ? '-sOJ' : '-s'} ${quoted(`${ORIGIN}${place}${search && `?${search}`}`)}`,
    needsToken && '-H "Authorization: Bearer $TOKEN"',
    body !== undefined && `-H 'content-type: application/json'`,
    body !== undefined && `-d ${quoted(JSON.stringify(body))}`,
    isBatch && `-H 'content-type: application/x-ndjson'`,
    isBatch && '--data-binary @orders.ndjson',
  ]
  return lines.filter((line) => line !== false).join(' \\\n  ')
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
