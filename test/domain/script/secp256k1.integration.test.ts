import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as bitcoinerlab from '@bitcoinerlab/secp256k1'
import { build } from 'esbuild'
import * as tiny from 'tiny-secp256k1'
import { expect, test } from 'vitest'
import { loadSecp256k1 } from '../../../src/domain/script/secp256k1.ts'
import { temporaryDirectory } from '../../support/embedded.ts'
import { saleEvent } from '../../support/orders/sale-event.ts'
import { ROOT } from '../../support/tree.ts'

test('is libsecp256k1 in WebAssembly, not the JavaScript one', async () => {
  const secp256k1 = await loadSecp256k1()
  expect(secp256k1.verifySchnorr).toBe(tiny.verifySchnorr)
  expect(secp256k1.verifySchnorr).not.toBe(bitcoinerlab.verifySchnorr)
})

test('without WebAssembly, signatures and events are verified by JavaScript', async () => {
  const directory = temporaryDirectory()
  const program = join(directory.path, 'verify.mjs')
  const bundled = await build({
    stdin: {
      contents: `
        import { isSignedEvent } from './src/domain/nostr/event-signature.ts'
        import { loadSecp256k1 } from './src/domain/script/secp256k1.ts'
        const secp256k1 = await loadSecp256k1()
        const { event, sig } = JSON.parse(process.argv[2])
        const bytes = (hex) => Uint8Array.from(Buffer.from(hex, 'hex'))
        const isSigned = (signature) =>
          secp256k1.verifySchnorr(bytes(event.id), bytes(event.pubkey), bytes(signature))
        console.log(JSON.stringify([
          typeof WebAssembly,
          isSigned(event.sig),
          isSigned(sig),
          isSignedEvent({ ...event }),
          isSignedEvent({ ...event, sig }),
        ]))`,
      resolveDir: ROOT,
    },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    external: ['tiny-secp256k1'],
  })
  writeFileSync(program, bundled.outputFiles[0]!.contents)
  const event = saleEvent('content', [])
  const { sig } = saleEvent('other content', [])
  const argument = JSON.stringify({ event, sig })
  const answer = execFileSync(process.execPath, ['--jitless', program, argument], {
    encoding: 'utf8',
  })
  expect(JSON.parse(answer)).toEqual(['undefined', true, false, true, false])
  directory.drop()
})
