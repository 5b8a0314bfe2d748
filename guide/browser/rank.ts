/** A place of the site that a search may find. */
export interface Found {
  title: string
  url: string
  /** What the place is part of. */
  page: string
  /** How it begins. */
  text: string
}

const MAX_RESULTS = 12

/** The places that have all words of a query, the most likely ones first. */
export function ranked(query: string, places: readonly Found[]): Found[] {
  const words = wordsOf(query)
  if (words.length === 0) return []
  return places
    .map((place, at) => ({ place, at, score: scoreOf(words, place) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.at - b.at)
    .slice(0, MAX_RESULTS)
    .map(({ place }) => place)
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}_/]+/gu) ?? []

/** Zero if a word is nowhere. */
function scoreOf(words: readonly string[], { title, page, text }: Found): number {
  const inTitle = wordsOf(title)
  const rest = `${page} ${text}`.toLowerCase()
  const scores = words.map((word): number => {
    if (inTitle.includes(word)) return 12
    if (inTitle.some((one) => one.startsWith(word))) return 8
    if (title.toLowerCase().includes(word)) return 5
    return rest.includes(word) ? 2 : 0
  })
  if (scores.includes(0)) return 0
  // Of two titles that match alike, the shorter is nearer to what was asked.
  return scores.reduce((sum, one) => sum + one, 0) - inTitle.length / 10
}
