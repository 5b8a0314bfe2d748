import { useEffect, useState } from 'preact/hooks'
import { saveFile } from './save-file.ts'

/** The most that a QR code holds in bytes, with the least error correction. */
const MAX_QR_CHARACTERS = 2_331
const ACKNOWLEDGED_MS = 1_500

/** A PSBT on its way to a wallet: to copy, as a file, and as a QR code if it is small enough. */
export function PsbtHandoff({ psbt, name }: { psbt: string; name: string }) {
  const [isCopied, setCopied] = useState(false)
  const [showsQr, setShowsQr] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(psbt)
    setCopied(true)
    setTimeout(() => setCopied(false), ACKNOWLEDGED_MS)
  }
  return (
    <div>
      <label>
        PSBT, base64
        <textarea readOnly rows={4} value={psbt} />
      </label>
      <div class="row">
        <button type="button" onClick={() => void copy().catch(() => setCopied(false))}>
          {isCopied ? 'Copied' : 'Copy'}
        </button>
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
