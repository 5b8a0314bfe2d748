import { lazy, Suspense } from 'preact/compat'
import { useRef, useState } from 'preact/hooks'
import { Field } from './field.tsx'

const PSBT_MAGIC = 'psbt'

/** The readers are loaded when the first code is scanned. */
const FrameReader = lazy(async () => (await import('../../frames/frame-reader.tsx')).FrameReader)

interface BytesFieldParts {
  name: string
  label: string
  cure?: string
}

/**
 * A PSBT, a transaction or an event: pasted, from a file, or scanned. The form reads it by `name`.
 */
export function BytesField({ name, label, cure = COPY_ANEW }: BytesFieldParts) {
  const [read, setRead] = useState<string | null>(null)
  const text = useRef<HTMLTextAreaElement>(null)
  const [scans, setScans] = useState(false)
  const fill = (given: string) => {
    if (!text.current) return
    text.current.value = given
    // As if it had been typed: the answer about what was there before goes.
    text.current.dispatchEvent(new Event('input', { bubbles: true }))
  }
  const take = async (files: FileList | null) => {
    const [file] = files ?? []
    if (file) fill(textOf(new Uint8Array(await file.arrayBuffer())))
  }
  const takeFrom = async (input: HTMLInputElement) => {
    const { files } = input
    const chosen = files?.[0]?.name
    try {
      await take(files)
      if (chosen !== undefined)
        setRead(`Read from ${chosen} at ${new Date().toLocaleTimeString()}.`)
    } catch {
      setRead(`${chosen} could not be read: choose it again.`)
    }
    // Else a browser says nothing of the same name that is chosen again, though it was signed anew.
    input.value = ''
  }
  return (
    <>
      <Field name={name} label={label} cure={cure}>
        {(ties) => (
          <textarea
            {...ties}
            ref={text}
            rows={4}
            required
            spellcheck={false}
            onInput={() => setRead(null)}
          />
        )}
      </Field>
      <label>
        or from a file
        <input type="file" onChange={({ currentTarget }) => void takeFrom(currentTarget)} />
      </label>
      {/* Without a text too: screen readers read what changes in it. */}
      <p class="under" role="status">
        {read}
      </p>
      <p class="row">
        <button type="button" class="plain" onClick={() => setScans(!scans)}>
          {scans ? 'Stop scanning' : 'Scan QR codes'}
        </button>
      </p>
      {scans && (
        <Suspense fallback={<p class="quiet">Opening…</p>}>
          <FrameReader
            take={(scanned) => {
              fill(scanned)
              setScans(false)
            }}
          />
        </Suspense>
      )}
    </>
  )
}

const COPY_ANEW = 'Copy all of it from the wallet again, in base64 or hexadecimal.'

/** A file of a wallet: the bytes of a PSBT, or any form as text. */
function textOf(bytes: Uint8Array): string {
  const characters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  if (characters.startsWith(PSBT_MAGIC)) return btoa(characters)
  return new TextDecoder().decode(bytes).trim()
}
