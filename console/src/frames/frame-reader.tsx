import { base64, hex } from '@scure/base'
import { useEffect, useRef, useState } from 'preact/hooks'
import { decodeQR } from 'qr/decode.js'
import { QRCanvas, rearCamera } from 'qr/dom.js'
import { anyFrames } from './collect.ts'

const LOOK_MS = 100
const PSBT_MAGIC = '70736274ff'
const TEXT = /^[\x20-\x7e\s]+$/

interface SeenFrame {
  words: string
  isRefused: boolean
}

/** Reads the codes that a wallet shows: by the camera, or from pictures of them. */
export function FrameReader({ take }: { take(text: string): void }) {
  const video = useRef<HTMLVideoElement>(null)
  const frames = useRef(anyFrames())
  const [hasCamera, setHasCamera] = useState(true)
  const [seen, setSeen] = useState<SeenFrame>({
    words: 'Hold the codes before the camera.',
    isRefused: false,
  })

  const feed = async (text: string): Promise<void> => {
    const taken = await frames.current.take(text)
    if (taken.state === 'done') {
      frames.current = anyFrames()
      setSeen({ words: 'Read.', isRefused: false })
      take(textOf(taken.bytes))
    } else if (taken.state === 'more') {
      setSeen({ words: `${taken.have} of ${taken.of} codes`, isRefused: false })
    } else {
      frames.current = anyFrames()
      setSeen({ words: taken.reason, isRefused: true })
    }
  }

  useEffect(() => {
    const { current } = video
    return current ? watched(current, feed, () => setHasCamera(false)) : undefined
  }, [])

  const pictures = async (input: HTMLInputElement): Promise<void> => {
    const files = [...(input.files ?? [])]
    // Else a browser says nothing of the same names that are chosen again.
    input.value = ''
    for (const file of files) {
      const text = await textIn(file).catch(() => null)
      if (text === null) setSeen({ words: `No code was found in ${file.name}.`, isRefused: true })
      else await feed(text)
    }
  }

  return (
    <div class="scan">
      <video ref={video} hidden={!hasCamera} muted playsInline />
      {!hasCamera && (
        <p class="quiet">This browser gives the page no camera: choose pictures of the codes.</p>
      )}
      <p role={seen.isRefused ? 'alert' : 'status'}>{seen.words}</p>
      <label>
        Pictures of the codes
        <input
          type="file"
          accept="image/*"
          multiple
          onChange={({ currentTarget }) => void pictures(currentTarget)}
        />
      </label>
    </div>
  )
}

/** Looks through the camera until the returned function is called. */
function watched(
  video: HTMLVideoElement,
  feed: (text: string) => Promise<void>,
  lacking: () => void,
): () => void {
  let isOver = false
  const look = async (): Promise<void> => {
    const camera = await rearCamera(video)
    const canvas = new QRCanvas()
    while (!isOver) {
      const found = await camera.readFrame(canvas)
      for (const text of [found].flat()) if (typeof text === 'string') await feed(text)
      await new Promise((next) => setTimeout(next, LOOK_MS))
    }
    camera.stop()
  }
  look().catch(lacking)
  return () => {
    isOver = true
  }
}

async function textIn(file: File): Promise<string> {
  const bitmap = await createImageBitmap(file)
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height)
  const context = canvas.getContext('2d')
  if (!context) throw new Error('the browser draws nothing')
  context.drawImage(bitmap, 0, 0)
  return decodeQR(context.getImageData(0, 0, bitmap.width, bitmap.height))
}

/** As the forms take it: a PSBT in base64, a transaction in hexadecimal, or the text itself. */
function textOf(bytes: Uint8Array): string {
  if (hex.encode(bytes).startsWith(PSBT_MAGIC)) return base64.encode(bytes)
  const text = new TextDecoder().decode(bytes)
  return TEXT.test(text) ? text : hex.encode(bytes)
}
