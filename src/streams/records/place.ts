/** A record's place in a topic, written `3/120`: partition 3, offset 120. */
export interface Place {
  partition: number
  offset: number
}

export const inboxPlaceText = ({ partition, offset }: Place): string => `${partition}/${offset}`
