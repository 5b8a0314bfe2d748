/** Sets an entry as the newest of the map; beyond `most`, the one that was set longest ago goes. */
export function setNewest<T>(map: Map<string, T>, key: string, value: T, most: number): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > most && oldest !== undefined) map.delete(oldest)
}
