import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, extname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import Eleventy, { type UserConfig } from '@11ty/eleventy'
import { build } from 'esbuild'
import { compressBelow } from '../console/compress.ts'
import { type Reference, readReference } from './reference/pages.ts'
import { searchIndex } from './search-index.ts'
import { guideLists, type PageList, referenceLists } from './side-lists.ts'
import { createMarkdown, sectionsOf, type Targets } from './source/markdown.ts'
import { type Guide, ROOT, readGuide } from './source/pages.ts'

/** Style and scripts of both parts: a process that serves no guide still has the reference. */
const ASSETS = 'docs/assets'
const IMAGES = 'guide/assets'
/** Pages of the service that represent a file of the repository. */
const SERVED: Readonly<Record<string, string>> = { 'docs/openapi.json': '/openapi.json' }
/** Fewer sections than this need no list of their own. */
const LEAST_SECTIONS = 3

/** What templates are given, besides the page's text. */
type PageData = Record<string, unknown> & { permalink: string; layout: string; lists: PageList[] }

/** Renders the guide and the reference of the API into a folder, which is emptied first. */
export async function buildSite(output: string): Promise<void> {
  await renderSite(output)
  compressBelow(output)
}

/** The same without the compressed forms, which take most of the time. */
export async function renderSite(output: string): Promise<void> {
  rmSync(output, { recursive: true, force: true })
  for (const folder of [ASSETS, IMAGES]) mkdirSync(join(output, folder), { recursive: true })
  const assets = await bundleAssets(output)
  const guide = readGuide()
  const urls = new Map(guide.pages.map(({ source, url }) => [source, url]))
  const markdown = createMarkdown({
    urlOf: (source) => urls.get(source) ?? SERVED[source],
    imageOf: (source) => copyImage(source, output),
  })
  const reference = readReference(markdown)
  const places = JSON.stringify(searchIndex(markdown, guide.pages, reference))
  const indexed = writeHashed(output, { folder: ASSETS, name: 'search.json', bytes: places })
  const eleventy = new Eleventy(
    relative(process.cwd(), join(import.meta.dirname, 'site')),
    relative(process.cwd(), output),
    {
      quietMode: true,
      config: (config) => {
        config.setTemplateFormats(['md', 'njk'])
        config.setLibrary('md', markdown)
        config.addGlobalData('assets', assets)
        config.addGlobalData('release', guide.release)
        config.addGlobalData('searchIndex', indexed)
        // Quotes need no escape between tags: a third of the bytes of an example.
        config.addFilter('inner', (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'))
        addGuide(config, guide, (text, page) => sectionsOf(markdown, text, page))
        addReference(config, reference)
        addMissing(config, guide, reference)
        // The pages contain braces that are not templates.
        return { markdownTemplateEngine: false }
      },
    },
  )
  await eleventy.write()
}

function addGuide(
  config: UserConfig,
  { kinds, pages }: Guide,
  sectionsIn: (text: string, page: { source: string }) => ReturnType<typeof sectionsOf>,
): void {
  for (const { text, ...page } of pages) {
    const sections = sectionsIn(text, page)
    const data: PageData = {
      ...page,
      site: 'Guide',
      sections: sections.length < LEAST_SECTIONS ? [] : sections,
      lists: guideLists(kinds, page),
      permalink: page.output,
      layout: 'page.njk',
    }
    config.addTemplate(page.output.replace(/html$/, 'md'), text, data)
  }
}

function addReference(config: UserConfig, reference: Reference): void {
  const add = (output: string, data: Omit<PageData, 'permalink'> & { layout: string }) =>
    config.addTemplate(output.replace(/html$/, 'njk'), '', {
      ...{ site: 'API', source: 'openapi.json', permalink: output },
      ...data,
    })
  add('docs/index.html', {
    ...{ title: 'The API', url: '/docs/', reference, layout: 'reference.njk' },
    summary: 'Every operation of this market, with samples in curl, TypeScript and Python.',
    lists: referenceLists(reference, null),
  })
  const pages = reference.pages.flatMap((page) => [page, ...(page.objects ? [page.objects] : [])])
  for (const [at, page] of pages.entries()) {
    const isOfOperations = 'operations' in page
    add(page.output, {
      ...page,
      layout: isOfOperations ? 'operations.njk' : 'objects.njk',
      summary: `The API of this market: ${page.title.toLowerCase()}.`,
      lists: referenceLists(reference, isOfOperations ? page : null),
      previous: pages[at - 1],
      next: pages[at + 1],
    })
  }
}

/** What a browser is shown at an address without a page. */
function addMissing(config: UserConfig, { kinds }: Guide, reference: Reference): void {
  config.addTemplate('docs/missing.njk', '', {
    ...{ site: 'Guide', title: 'There is no such page', source: 'The guide', url: '' },
    ...{ permalink: 'docs/missing.html', layout: 'missing.njk' },
    lists: [...guideLists(kinds, null), ...referenceLists(reference, null)],
  } satisfies PageData)
}

/** The style and the script by name, with addresses that carry a hash of their content. */
async function bundleAssets(output: string): Promise<Record<string, string>> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['guide/guide.css', 'guide/browser/page.ts', 'console/src/icon.svg'],
    entryNames: '[name]-[hash]',
    outdir: join(output, ASSETS),
    loader: { '.svg': 'copy' },
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    metafile: true,
  })
  return Object.fromEntries(
    Object.entries(metafile.outputs).map(([path, { entryPoint = '' }]) => [
      basename(entryPoint, extname(entryPoint)),
      `/${ASSETS}/${basename(path)}`,
    ]),
  )
}

/** A PNG: its size is at the beginning of the first chunk. */
function copyImage(source: string, output: string): ReturnType<Targets['imageOf']> {
  const bytes = readFileSync(join(ROOT, source))
  const url = writeHashed(output, { folder: IMAGES, name: basename(source), bytes })
  return { url, width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

/** Writes a file whose name has a hash of its content; gives its address. */
function writeHashed(
  output: string,
  { folder, name, bytes }: { folder: string; name: string; bytes: string | Buffer },
): string {
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 8)
  const hashed = `${basename(name, extname(name))}-${hash}${extname(name)}`
  writeFileSync(join(output, folder, hashed), bytes)
  return `/${folder}/${hashed}`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildSite(join(ROOT, 'dist/site'))
}
