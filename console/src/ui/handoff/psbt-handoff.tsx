import { lazy, Suspense } from 'preact/compat'
import { useState } from 'preact/hooks'
import { CopyButton } from './copy-button.tsx'
import { saveFile } from './save-file.ts'

/** The encoders are loaded when the first code is shown. */
const FrameShow = lazy(async () => (await import('../../frames/frame-show.tsx')).FrameShow)

/** A PSBT on its way to a wallet: to copy, as a file, and as QR codes. */
export function PsbtHandoff({ psbt, name }: { psbt: string; name: string }) {
  const [showsQr, setShowsQr] = useState(false)
  return (
    <div>
      <label>
        PSBT, base64
        <textarea readOnly rows={4} value={psbt} />
      </label>
      <div class="row">
        <CopyButton text={psbt} label="Copy" />
        <CopyButton text={hexOf(psbt)} label="Copy as hexadecimal" />
        <button type="button" class="plain" onClick={() => saveFile(bytesOf(psbt), `${name}.psbt`)}>
          Save as a file
        </button>
        <button type="button" class="plain" onClick={() => setShowsQr(!showsQr)}>
          {showsQr ? 'Hide the QR code' : 'Show as a QR code'}
        </button>
      </div>
      {showsQr && (
        <Suspense fallback={<p class="quiet">Drawing…</p>}>
          <FrameShow psbt={psbt} />
        </Suspense>
      )}
    </div>
  )
}

/** Wallets read files as bytes. */
const bytesOf = (psbt: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(psbt), (character) => character.charCodeAt(0))

/** UniSat, OKX and Leather take hexadecimal. */
const hexOf = (psbt: string): string =>
  Array.from(bytesOf(psbt), (byte) => byte.toString(16).padStart(2, '0')).join('')
