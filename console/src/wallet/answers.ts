import { WalletError } from './wallet-port.ts'

// What a wallet answers is a stranger's: each part is looked at before it is used.

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** The value at a path of properties; undefined where one is missing. */
export function partOf(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((one, name) => (isObject(one) ? one[name] : undefined), value)
}

/** @throws WalletError unreadable */
export function textOf(value: unknown, what: string): string {
  if (typeof value === 'string' && value !== '') return value
  throw new WalletError('unreadable', `The wallet’s answer has no ${what}.`)
}

/** @throws WalletError unreadable */
export function listOf(value: unknown, what: string): unknown[] {
  if (Array.isArray(value)) return value
  throw new WalletError('unreadable', `The wallet’s answer has no ${what}.`)
}

/** EIP-1193, used by UniSat, OKX and Leather; sats-connect. */
const REFUSALS: readonly unknown[] = [4001, -32000]

/** An error of a wallet, in the page's words. */
export function walletErrorOf(error: unknown): WalletError {
  if (error instanceof WalletError) return error
  const inner = partOf(error, 'error') ?? error
  if (REFUSALS.includes(partOf(inner, 'code'))) {
    return new WalletError('refused-by-user', 'You refused it in the wallet. Nothing was signed.')
  }
  const message = typeof inner === 'string' ? inner : partOf(inner, 'message')
  const words = typeof message === 'string' && message !== '' ? `: ${message.slice(0, 200)}` : ''
  return new WalletError('failed', `The wallet failed${words}. Nothing was signed.`)
}

/** @throws WalletError in place of whatever the wallet throws */
export async function answered<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    throw walletErrorOf(error)
  }
}

type Call = (...given: unknown[]) => unknown

/** A method of a wallet's object, bound to it; undefined where it has none. */
export function methodOf(provider: unknown, name: string): Call | undefined {
  const method = partOf(provider, name)
  return typeof method === 'function'
    ? (...given) => Reflect.apply(method, provider, given)
    : undefined
}

/** @throws WalletError failed, where the wallet is too old */
export async function call(provider: unknown, name: string, ...given: unknown[]): Promise<unknown> {
  const method = methodOf(provider, name)
  if (!method) throw new WalletError('failed', `The wallet has no ${name}: update it.`)
  return answered(async () => method(...given))
}

const CONTENT_TYPE = /^[\w.+-]{1,40}\/[\w.+-]{1,60}/

/** What wallets name alike beside an inscription's id; without what does not look like it. */
export function labelsIn(one: unknown): { number?: number; contentType?: string } {
  const [number, said] = [partOf(one, 'inscriptionNumber'), partOf(one, 'contentType')]
  const [contentType] = (typeof said === 'string' && CONTENT_TYPE.exec(said)) || []
  return {
    ...(typeof number === 'number' && Number.isSafeInteger(number) && { number }),
    ...(contentType !== undefined && { contentType }),
  }
}
