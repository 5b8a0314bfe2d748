/**
 * Bounds a cache by its number of entries. The cache's own `max` allocates room for all entries at
 * once, which for the clients of a high limit is gigabytes.
 */
export const atMost = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 })
