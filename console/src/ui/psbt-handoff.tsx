import { useEffect, useState } from 'preact/hooks'
import { CopyButton } from './copy-button.tsx'
import { saveFile } from './save-file.ts'

/** The most that a QR code holds in bytes, with the least error correction. */
const MAX_QR_CHARACTERS = 2_331

/** A PSBT on its way to a wallet: to copy, as a file, and as a QR code if it is small enough. */
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
        {psbt.length <= MAX_QR_CHARACTERS && (
          <button type="button" class="plain" onClick={() => setShowsQr(!showsQr)}>
            {showsQr ? 'Hide the QR code' : 'Show as a QR code'}
          </button>
        )}
      </div>
      {showsQr && <QrCode text={psbt} />}
    </div>
  )
}

/** Wallets read files as bytes. */
const bytesOf = (psbt: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(psbt), (character) => character.charCodeAt(0))

/** UniSat, OKX and Leather take hexadecimal. */
const hexOf = (psbt: string): string =>
  Array.from(bytesOf(psbt), (byte) => byte.toString(16).padStart(2, '0')).join('')

/** The encoder is loaded when the first code is shown. */
function QrCode({ text }: { text: string }) {
  const [rows, setRows] = useState<boolean[][] | null>(null)
  useEffect(() => {
    let isShown = true
    void import('qr').then(({ encodeQR }) => {
      if (isShown) setRows(encodeQR(text, 'raw', { ecc: 'low', encoding: 'byte' }))
    })
    return () => {
      isShown = false
    }
  }, [text])
  if (!rows) return null
  const path = rows
    .flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
    .join('')
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      role="img"
      aria-label="The PSBT as a QR code"
      shape-rendering="crispEdges"
    >
      <path d={path} />
    </svg>
  )
}
