/**
 * Where the content of inscriptions is read: the operator's index, which is not trusted to be right
 * about it. Throws `IndexUnavailableError` when it gives no usable answer.
 */
export interface ContentSource {
  /**
   * What an inscription in the chain shows; null: there is none, or it has no content.
   *
   * @param mayRead the bytes that may be read of content that claims this media type; 0: none
   */
  content(
    inscriptionId: string,
    mayRead: (mediaType: string) => number,
    signal: AbortSignal,
  ): Promise<SourcedContent | null>
}

export interface SourcedContent {
  /** As the inscription claims it, with its parameters; empty: it claims none. */
  mediaType: string
  /** Its bytes, with no coding left. */
  body: Uint8Array | Unread
  /** How many bytes the source says it has, in whichever coding; null: it does not say. */
  claimedBytes: number | null
}

/** Nothing is read of a type that is not admitted, and nothing kept of what is larger than admitted. */
export type Unread = 'not_admitted' | 'too_large' | 'undecodable'
