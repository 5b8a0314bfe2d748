import type { Ecc } from './ecc.ts'

let loading: Promise<Ecc> | undefined

/**
 * libsecp256k1 in WebAssembly; where that is unavailable (`node --jitless`), JavaScript that gives
 * the same answers.
 */
export function loadSecp256k1(): Promise<Ecc> {
  loading ??=
    'WebAssembly' in globalThis ? import('tiny-secp256k1') : import('@bitcoinerlab/secp256k1')
  return loading
}
