/** What the page's stream says of the service. */
interface Heard {
  /** When it last said something, Unix milliseconds; 0: never. */
  at: number
  /** It is lost, and nothing was heard since. */
  isLost: boolean
}

let heard: Heard = { at: 0, isLost: false }

export const streamHeard = (): Heard => heard

export const noteHeard = (): void => {
  heard = { at: Date.now(), isLost: false }
}

export const noteLost = (): void => {
  heard = { ...heard, isLost: true }
}

/** The page was left: another page's stream, or none, speaks for the service. */
export const noteLeft = (): void => {
  heard = { ...heard, isLost: false }
}
