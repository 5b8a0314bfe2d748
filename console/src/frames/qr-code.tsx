import { encodeQR } from 'qr'

interface QrCodeParts {
  text: string
  label: string
}

/** In the mode that fits the text: capitals and digits alone take less room. */
export function QrCode({ text, label }: QrCodeParts) {
  const encoding = ALPHANUMERIC.test(text) ? 'alphanumeric' : 'byte'
  const rows = encodeQR(text, 'raw', { ecc: 'low', encoding })
  const path = rows
    .flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
    .join('')
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      role="img"
      aria-label={label}
      shape-rendering="crispEdges"
    >
      <path d={path} />
    </svg>
  )
}

const ALPHANUMERIC = /^[0-9A-Z $%*+./:-]+$/
