import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { onceMade } from '../../runtime/once-made.ts'
import { type StoredFile, storedFile } from './stored-file.ts'

const SCRIPT = 'text/javascript; charset=utf-8'
const STYLE = 'text/css; charset=utf-8'
const IMAGE = 'image/png'

/** What the page loads, of the package that has them. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  'swagger-ui.css': STYLE,
  'index.css': STYLE,
  'favicon-32x32.png': IMAGE,
  'favicon-16x16.png': IMAGE,
  'swagger-ui-bundle.js': SCRIPT,
}
const PACKAGE = '@fastify/swagger-ui'

const START = `window.onload = () => {
  SwaggerUIBundle({
    dom_id: '#swagger-ui',
    url: new URL(document.querySelector('#swagger-ui').dataset.base + '/json', location.href).href,
    layout: 'BaseLayout',
    deepLinking: true,
    tryItOutEnabled: true,
    validatorUrl: null,
  })
}
`

/** The names of the page's files. */
export const REFERENCE_FILES = [...Object.keys(MEDIA_TYPES), 'start.js']

/** All of them, read and compressed when the first one is asked for, once in a process. */
export const referenceFiles = onceMade(readAll)

async function readAll(): Promise<ReadonlyMap<string, StoredFile>> {
  const folder = join(dirname(createRequire(import.meta.url).resolve(PACKAGE)), 'static')
  const read = Object.entries(MEDIA_TYPES).map(async ([name, mediaType]) => {
    const file = await storedFile(mediaType, await readFile(join(folder, name)))
    return [name, file] as const
  })
  const start = await storedFile(SCRIPT, Buffer.from(START))
  return new Map([...(await Promise.all(read)), ['start.js', start]])
}

/** The page; `base`: where its files are, relative to its address. */
export function referencePage(base: string, versions: ReadonlyMap<string, StoredFile>): string {
  // Caches keep a file for long: another version of it has another address.
  const link = (name: string): string =>
    `${base}/static/${name}?v=${versions.get(name)?.tag.slice(0, 8)}`
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Market: API reference</title>
<link rel="stylesheet" href="${link('swagger-ui.css')}">
<link rel="stylesheet" href="${link('index.css')}">
<link rel="icon" type="image/png" href="${link('favicon-32x32.png')}" sizes="32x32">
<link rel="icon" type="image/png" href="${link('favicon-16x16.png')}" sizes="16x16">
</head>
<body>
<div id="swagger-ui" data-base="${base}"></div>
<script src="${link('swagger-ui-bundle.js')}"></script>
<script src="${link('start.js')}"></script>
</body>
</html>
`
}
