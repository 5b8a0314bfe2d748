/** The name of a tag of the description in addresses. */
export const tagSlug = (tag: string): string => tag.toLowerCase().replaceAll(/[^a-z]+/g, '-')

/** Where the reference describes an operation. */
export const referenceLink = (tag: string, operationId: string): string =>
  `/docs/${tagSlug(tag)}/#${operationId}`
