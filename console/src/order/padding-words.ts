/** Shown wherever padding is asked for. */
export const PADDING_IS =
  'Padding is two small outputs of yours that go ahead of the bought one, so that the asset keeps its place among the sats; what is in them comes back to you.'
