/** Streams of strangers, each of a query of its own. */
export interface Crowd {
  address: string
  streams: number
}

/** What a crowd has received since it was last asked. */
export interface CrowdReport {
  /** Streams that are open. */
  open: number
  /** Different changes. */
  changes: number
  /** How often one was received, over all changes. */
  leastTimes: number
  mostTimes: number
  /** From the change to its last reader, milliseconds. */
  latestMs: number
}

export type CrowdSkills = {
  /** Resolves when all are open, from as few networks as may hold them. */
  open(crowd: Crowd): Promise<void>
  report(): CrowdReport
}

/** Of the networks a stranger has: eight /48 for a thousand streams. */
const IN_WIDEST = 125
const IN_WIDER = 32
const OF_CLIENT = 8

/** The address of the nth stream, so that no network has more than it may. */
export function crowdedAddress(n: number): string {
  const [widest, within] = [Math.floor(n / IN_WIDEST), n % IN_WIDEST]
  const wider = Math.floor(within / IN_WIDER)
  const client = Math.floor((within % IN_WIDER) / OF_CLIENT)
  return `2a0c:${widest.toString(16)}:1:${((wider << 8) | client).toString(16)}::1`
}
