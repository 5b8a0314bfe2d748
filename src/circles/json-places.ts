/** A place in a JSON text, as a JSON pointer (RFC 6901) from the text's root: the root itself is ''. */
export type JsonPointer = string

export const pointerOf = (path: readonly PropertyKey[]): JsonPointer =>
  path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

// Strings are stepped over by an unrolled loop, so that one of megabytes costs no backtracking.
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]|[^\s{}[\],:"]+/gs

interface Holder {
  /** Of an object: the keys that it has had. */
  keys: Set<string> | null
  /** The key or the index that is read. */
  at: string | number
  /** In an object: a key comes next, not a value. */
  wantsKey: boolean
}

interface Seen {
  path: () => JsonPointer
  /** Behind the token. */
  end: number
  isDuplicate: boolean
}

/** Steps through a text that `JSON.parse` accepts until `look` says that it has found its place. */
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

/** The first key that its object has had before; null where none has. */
export const duplicatedKey = (text: string): JsonPointer | null =>
  findPlace(text, ({ isDuplicate }) => isDuplicate)

/** The innermost value that stands at an offset of the text, or comes next after it. */
export const pointerAt = (text: string, offset: number): JsonPointer =>
  findPlace(text, ({ end }) => end > offset) ?? ''
