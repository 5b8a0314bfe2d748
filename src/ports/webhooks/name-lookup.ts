/**
 * The addresses that a name of the DNS resolves to now; none if it has none, or is not known in time.
 * Never rejects.
 */
export type NameLookup = (name: string) => Promise<readonly string[]>
