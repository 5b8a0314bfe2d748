import { type Dispatcher, Pool } from 'undici'
import { IndexUnavailableError } from '../../ports/authorities/authority-errors.ts'
import type {
  ContentSource,
  SourcedContent,
  Unread,
} from '../../ports/authorities/content-source.ts'
import { decoded, KNOWN_CODINGS } from './content-coding.ts'
import { basicOf, type OrdLogin } from './server.ts'

export interface OrdContentOptions {
  /** The URL below which `/r/undelegated-content/INSCRIPTION_ID` is served. */
  url: string
  login?: OrdLogin
  /** Called for each HTTP request sent. */
  onRequest?: () => void
}

export interface OrdContent extends ContentSource {
  close(): Promise<void>
}

/** The index has connections of its own: content never delays a verification. */
const CONNECTIONS = 8
/** Limit on connecting, on an answer's headers, and on each pause of a body. */
const TIMEOUT_MS = 5_000

type Response = Dispatcher.ResponseData

/**
 * ord's `GET /r/undelegated-content/INSCRIPTION_ID`: no redirects, no cookies, bounded in time and
 * size. `/content/…` would show what an inscription nominates in its place, which no order here need
 * offer and an operator may hide. It is asked as it is first, so that a length is known and ord
 * compresses nothing on the way; what is inscribed in a coding it then refuses with 406, and gives to a
 * client that takes the coding.
 */
export function openOrdContent({
  url,
  login,
  onRequest = () => undefined,
}: OrdContentOptions): OrdContent {
  const { origin, pathname } = new URL(url)
  const base = pathname.replace(/\/$/, '')
  const authorization = login && { authorization: basicOf(login) }
  const pool = new Pool(origin, {
    connections: CONNECTIONS,
    pipelining: 1,
    connect: { timeout: TIMEOUT_MS },
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  })

  const ask = async (path: string, coding: string, signal: AbortSignal): Promise<Response> => {
    onRequest()
    const response = await pool.request({
      method: 'GET',
      path: base + path,
      headers: { accept: '*/*', 'accept-encoding': coding, ...authorization },
      signal,
    })
    // A body that is not read to its end reports so: that is no failure.
    response.body.on('error', () => undefined)
    return response
  }

  const read = async (
    path: string,
    mayRead: (mediaType: string) => number,
    signal: AbortSignal,
  ): Promise<SourcedContent | null> => {
    let response = await ask(path, 'identity', signal)
    if (response.statusCode === 406) {
      response.body.destroy()
      response = await ask(path, KNOWN_CODINGS, signal)
    }
    const { statusCode, headers, body } = response
    if (statusCode !== 200) body.destroy()
    if (statusCode === 404) return null
    if (statusCode !== 200 && statusCode !== 406) throw noAnswer(path, `HTTP ${statusCode}`)
    const mediaType = textOf(headers['content-type'])
    const claimedBytes = lengthOf(headers['content-length'])
    if (statusCode === 406) return { mediaType: '', body: 'undecodable', claimedBytes: null }
    const maxBytes = mayRead(mediaType)
    const bytes = await bytesOf(body, maxBytes, claimedBytes)
    const coding = textOf(headers['content-encoding']).trim().toLowerCase()
    const plain = typeof bytes === 'string' ? bytes : await decoded(bytes, coding, maxBytes)
    return { mediaType, body: plain, claimedBytes }
  }

  return {
    content: async (inscriptionId, mayRead, signal) => {
      const path = `/r/undelegated-content/${inscriptionId}`
      try {
        return await read(path, mayRead, signal)
      } catch (error) {
        if (error instanceof IndexUnavailableError) throw error
        throw noAnswer(path, error instanceof Error ? error.message : String(error), error)
      }
    },
    close: () => pool.destroy(),
  }
}

/** Ends the answer at its first byte too many, whatever length it claimed. */
async function bytesOf(
  body: Response['body'],
  maxBytes: number,
  claimedBytes: number | null,
): Promise<Uint8Array | Unread> {
  if (maxBytes === 0 || (claimedBytes ?? 0) > maxBytes) {
    body.destroy()
    return maxBytes === 0 ? 'not_admitted' : 'too_large'
  }
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    length += chunk.length
    // Leaving the loop destroys the body, which closes the connection.
    if (length > maxBytes) return 'too_large'
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, length)
}

const textOf = (header: string | string[] | undefined): string =>
  typeof header === 'string' ? header : ''

function lengthOf(header: string | string[] | undefined): number | null {
  const text = textOf(header)
  return /^[0-9]{1,15}$/.test(text) ? Number(text) : null
}

const noAnswer = (path: string, why: string, cause?: unknown): IndexUnavailableError =>
  new IndexUnavailableError('asset_index_unreachable', `${path}: ${why}`, { cause })
