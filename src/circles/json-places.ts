/** A place in a JSON text, as a JSON pointer (RFC 6901) from the root; the root itself is ''. */
export type JsonPointer = string

export const pointerOf = (path: readonly PropertyKey[]): JsonPointer =>
  path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

// Strings are matched by an unrolled loop, so that one of megabytes costs no backtracking.
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]|[^\s{}[\],:"]+/gs

interface Holder {
  /** For an object: the keys seen so far. */
  keys: Set<string> | null
  /** The current key or index. */
  at: string | number
  /** In an object: a key comes next, not a value. */
  wantsKey: boolean
}

interface Seen {
  path: () => JsonPointer
  /** The offset after the token. */
  end: number
  isDuplicate: boolean
}

/** Steps through a text that `JSON.parse` accepts until `look` returns true. */
function findPlace(text: string, look: (seen: Seen) => boolean): JsonPointer | null {
  const holders: Holder[] = []
  const path = () => pointerOf(holders.map(({ at }) => at))
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const holder = holders.at(-1)
    let isDuplicate = false
    if (token === '}' || token === ']') holders.pop()
    else if (holder?.wantsKey && token.startsWith('"')) {
      const key = String(JSON.parse(token))
      isDuplicate = holder.keys?.has(key) ?? false
      holder.keys?.add(key)
      holder.at = key
      holder.wantsKey = false
    } else if (token === ',' && holder) {
      if (holder.keys) holder.wantsKey = true
      else holder.at = Number(holder.at) + 1
    }
    if (look({ path, end: index + token.length, isDuplicate })) return path()
    if (token === '{') holders.push({ keys: new Set(), at: '', wantsKey: true })
    else if (token === '[') holders.push({ keys: null, at: 0, wantsKey: false })
  }
  return null
}

/** The first key that occurs twice in its object; null if none does. */
export const duplicatedKey = (text: string): JsonPointer | null =>
  findPlace(text, ({ isDuplicate }) => isDuplicate)

/** The innermost value at an offset of the text, or the next one after it. */
export const pointerAt = (text: string, offset: number): JsonPointer =>
  findPlace(text, ({ end }) => end > offset) ?? ''
