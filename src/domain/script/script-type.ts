/** What an output script requires of its spender, as far as the order rules distinguish scripts. */
export type ScriptType = 'p2tr' | 'p2wpkh' | 'p2wsh' | 'p2sh' | 'other'

const TYPES: readonly [ScriptType, RegExp][] = [
  ['p2tr', /^5120[0-9a-f]{64}$/],
  ['p2wpkh', /^0014[0-9a-f]{40}$/],
  ['p2wsh', /^0020[0-9a-f]{64}$/],
  ['p2sh', /^a914[0-9a-f]{40}87$/],
]

export const scriptTypeOf = (scriptHex: string): ScriptType =>
  TYPES.find(([, pattern]) => pattern.test(scriptHex))?.[0] ?? 'other'
