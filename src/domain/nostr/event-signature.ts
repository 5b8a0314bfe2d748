import { verifyEvent as verifyInJavaScript } from 'nostr-tools/pure'
import { setNostrWasm, verifyEvent as verifyInWebAssembly } from 'nostr-tools/wasm'
import type { NostrEvent } from '../../schemas/wire/nostr.ts'

let verify = (event: NostrEvent): boolean => verifyInJavaScript(event)
let isAsked = false

/**
 * Whether the id of an event is the hash of its content, and its key signed it (NIP-01). Uses
 * libsecp256k1 once the first event has loaded it: JavaScript takes eight times as long.
 */
export function isSignedEvent(event: NostrEvent): boolean {
  if (!isAsked && 'WebAssembly' in globalThis) void loadWebAssembly()
  isAsked = true
  return verify(event)
}

async function loadWebAssembly(): Promise<void> {
  try {
    const { initNostrWasm } = await import('nostr-wasm')
    setNostrWasm(await initNostrWasm())
    verify = verifyInWebAssembly
  } catch {
    // JavaScript gives the same answers.
  }
}
