/**
 * The bound of a cache by its number of entries. Its own `max` takes the memory of all of them at
 * once, which for the clients of a high limit is gigabytes.
 */
export const atMost = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 })
