/** How a type of content is shown. */
export type MediaKind = 'text' | 'image' | 'audio' | 'video'

export interface MediaRule {
  kind: MediaKind
  /** The media type that it is served as. */
  servedAs: string
  /** More bytes than this are never read. */
  maxBytes: number
}

/** A page shows text as one node: beyond this it takes long to lay out. */
export const MAX_TEXT_BYTES = 2 ** 20
/** A block has at most 4,000,000 weight units: no inscription that one transaction reveals is larger. */
export const MAX_CONTENT_BYTES = 4 * 2 ** 20

const TEXT: MediaRule = {
  kind: 'text',
  servedAs: 'text/plain; charset=utf-8',
  maxBytes: MAX_TEXT_BYTES,
}
const media = (kind: MediaKind, servedAs: string, maxBytes = MAX_CONTENT_BYTES): MediaRule => ({
  kind,
  servedAs,
  maxBytes,
})
const WAV = media('audio', 'audio/wav')
const FLAC = media('audio', 'audio/flac')

/** The types that are shown: what is not here is never read, HTML above all. */
const RULES: ReadonlyMap<string, MediaRule> = new Map([
  ['text/plain', TEXT],
  ['text/markdown', TEXT],
  ['text/csv', TEXT],
  ['application/json', TEXT],
  ['application/yaml', TEXT],
  ['image/png', media('image', 'image/png')],
  ['image/jpeg', media('image', 'image/jpeg')],
  ['image/gif', media('image', 'image/gif')],
  ['image/webp', media('image', 'image/webp')],
  ['image/avif', media('image', 'image/avif')],
  ['image/svg+xml', media('image', 'image/svg+xml', MAX_TEXT_BYTES)],
  ['audio/mpeg', media('audio', 'audio/mpeg')],
  ['audio/ogg', media('audio', 'audio/ogg')],
  ['audio/wav', WAV],
  ['audio/x-wav', WAV],
  ['audio/flac', FLAC],
  ['audio/x-flac', FLAC],
  ['video/mp4', media('video', 'video/mp4')],
  ['video/webm', media('video', 'video/webm')],
])

/** The type of a `Content-Type` without its parameters, in lower case. */
export const essenceOf = (mediaType: string): string =>
  mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? ''

/** The rule of a type as an inscription claims it; undefined: it is not shown. */
export const mediaRuleOf = (mediaType: string): MediaRule | undefined =>
  RULES.get(essenceOf(mediaType))

/** The bytes that may be read of content that claims this type; 0: none. */
export const mayRead = (mediaType: string): number => mediaRuleOf(mediaType)?.maxBytes ?? 0
