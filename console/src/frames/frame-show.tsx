import { base64 } from '@scure/base'
import { useEffect, useState } from 'preact/hooks'
import { bbqrFrames } from './bbqr.ts'
import { QrCode } from './qr-code.tsx'
import { urFrames } from './ur.ts'

/** A code that cameras of devices read at once. */
const FRAME_BYTES = 200
const FRAME_MS = 250
/** The most that a QR code holds in bytes, with the least error correction. */
const MAX_QR_CHARACTERS = 2_331

const FORMS: Record<string, { name: string; frames(psbt: string): string[] }> = {
  bbqr: {
    name: 'BBQr (Coldcard, Sparrow)',
    frames: (psbt) => bbqrFrames(base64.decode(psbt), FRAME_BYTES),
  },
  ur: {
    name: 'UR (Keystone, Passport, SeedSigner, Sparrow)',
    // Capitals, which take less room in a code, are allowed.
    frames: (psbt) => urFrames(base64.decode(psbt), FRAME_BYTES).map((one) => one.toUpperCase()),
  },
  text: { name: 'base64, in one code', frames: (psbt) => [psbt] },
}

/** A PSBT for the camera of a wallet: codes one after another, or one alone. */
export function FrameShow({ psbt }: { psbt: string }) {
  const [form, setForm] = useState('bbqr')
  const [at, setAt] = useState(0)
  const [isMoving, setMoving] = useState(!matchMedia('(prefers-reduced-motion: reduce)').matches)
  const frames = FORMS[form]?.frames(psbt) ?? []
  const count = frames.length
  const next = () => setAt((now) => (now + 1) % count)
  useEffect(() => {
    if (!isMoving || count < 2) return
    const timer = setInterval(next, FRAME_MS)
    return () => clearInterval(timer)
  }, [isMoving, count])
  const offered = Object.entries(FORMS).filter(
    ([id]) => id !== 'text' || psbt.length <= MAX_QR_CHARACTERS,
  )
  return (
    <div>
      <label>
        Read by
        <select
          value={form}
          onChange={({ currentTarget }) => {
            setForm(currentTarget.value)
            setAt(0)
          }}
        >
          {offered.map(([id, { name }]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <QrCode text={frames[at] ?? ''} label="The PSBT as a QR code" />
      {count > 1 && (
        <div class="row">
          <span class="quiet">
            Code {at + 1} of {count}
          </span>
          <button type="button" class="plain" onClick={() => setMoving(!isMoving)}>
            {isMoving ? 'Pause' : 'Play'}
          </button>
          <button type="button" class="plain" onClick={next}>
            Next code
          </button>
        </div>
      )}
    </div>
  )
}
