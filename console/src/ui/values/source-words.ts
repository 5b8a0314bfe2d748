const WORDS: Record<string, string> = {
  'portable-nostr802': 'Nostr, kind 802',
  'asset-offers': 'offers of ord',
  'direct-import': 'imported here',
}

/** Where an order came from. */
export const sourceWords = (source: string): string => WORDS[source] ?? source
