import { VARIABLE_NAMES, type Variables } from '../../schemas/config/config.ts'

/** What a check saw. A `warn` works now and may not later; a `fail` stops something, and has a cure. */
export type Finding = { status: 'ok'; what: string } | Problem
export type Problem = { status: 'warn' | 'fail'; what: string; cure: string }

export interface Check {
  name: string
  /** Where one of these is wrong, there is nothing to look at. */
  needs: readonly (keyof Variables)[]
  /** A thrown error counts as a `fail`. */
  look(): Promise<Finding[]>
  /** The cure for a check that threw, or timed out. */
  cure: string
}

/** The variables of a part, by how their names begin. */
export const variablesOf = (prefix: string): (keyof Variables)[] =>
  VARIABLE_NAMES.filter((name) => name.startsWith(prefix))

/** What a node is asked with. */
export const NODE_VARIABLES = ['BITCOIN_NETWORK', ...variablesOf('BITCOIN_RPC_')] as const

export const ok = (what: string): Finding => ({ status: 'ok', what })
export const warn = (what: string, cure: string): Problem => ({ status: 'warn', what, cure })
export const fail = (what: string, cure: string): Problem => ({ status: 'fail', what, cure })

/** A refusal's message names the problem and, after the colon, the cure. */
export function refused(message: string): Problem {
  const at = message.indexOf(': ')
  return at < 0 ? fail(message, message) : fail(message.slice(0, at), message.slice(at + 2))
}

/** Clock differences, milliseconds: from the first it is reported, from the second it does harm. */
const TOLD_MS = 2_000
const HARMFUL_MS = 60_000

/** `aheadMs` is accurate to within `exactMs`. */
export function clockFinding(whose: string, aheadMs: number, exactMs: number): Finding {
  const off = Math.max(0, Math.abs(aheadMs) - exactMs)
  const seconds = `${(Math.abs(aheadMs) / 1_000).toFixed(1)} s ${aheadMs > 0 ? 'ahead of' : 'behind'}`
  const what = `the clock of ${whose} is ${seconds} this machine's`
  const cure = 'synchronise the clocks of both machines with NTP (timedatectl set-ntp true)'
  if (off > HARMFUL_MS) return fail(what, cure)
  if (off > TOLD_MS) return warn(what, cure)
  return ok(`the clock of ${whose} agrees with this machine's`)
}

export const messageOf = (error: unknown): string => {
  const message = error instanceof Error ? error.message : String(error)
  return message === '' && error instanceof AggregateError
    ? error.errors.map(messageOf).join('; ')
    : message
}
