import { UNPROVED_CLAIMS } from '../../domain/dispute/unproved-claims.ts'

/** What a bundle with withheld changes only states, a line for each part. */
export const claimLines = (): string[] => {
  const width = Math.max(...UNPROVED_CLAIMS.map(({ path }) => path.length))
  return UNPROVED_CLAIMS.map(({ path, of }) => `${path.padEnd(width)}  ${of}`)
}
