import { useRef } from 'preact/hooks'

const PSBT_MAGIC = 'psbt'

/** A PSBT, a transaction or an event: pasted, or from a file. The form reads it by `name`. */
export function BytesField({ name, label }: { name: string; label: string }) {
  const text = useRef<HTMLTextAreaElement>(null)
  const take = async (files: FileList | null) => {
    const [file] = files ?? []
    if (file && text.current) text.current.value = textOf(new Uint8Array(await file.arrayBuffer()))
  }
  return (
    <>
      <label>
        {label}
        <textarea ref={text} name={name} rows={4} required spellcheck={false} />
      </label>
      <label>
        or from a file
        <input type="file" onChange={({ currentTarget }) => void take(currentTarget.files)} />
      </label>
    </>
  )
}

/** A file of a wallet: the bytes of a PSBT, or any form as text. */
function textOf(bytes: Uint8Array): string {
  const characters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  if (characters.startsWith(PSBT_MAGIC)) return btoa(characters)
  return new TextDecoder().decode(bytes).trim()
}
