import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, extname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import Eleventy from '@11ty/eleventy'
import { build } from 'esbuild'
import { compressBelow } from '../console/compress.ts'
import { createMarkdown, sectionsOf } from './markdown.ts'
import { ROOT, readGuide } from './pages.ts'

const ASSETS = '/guide/assets/'
/** Pages of the service that represent a file of the repository. */
const SERVED: Readonly<Record<string, string>> = { 'docs/openapi.json': '/openapi.json' }
/** Fewer sections than this need no list of their own. */
const LEAST_SECTIONS = 3

/** Renders every page of the guide into a folder, which is emptied first. */
export async function buildGuide(output: string): Promise<void> {
  rmSync(output, { recursive: true, force: true })
  mkdirSync(join(output, 'assets'), { recursive: true })
  const assets = await bundleAssets(output)
  const { kinds, pages } = readGuide()
  const urls = new Map(pages.map(({ source, url }) => [source, url]))
  const markdown = createMarkdown({
    urlOf: (source) => urls.get(source) ?? SERVED[source],
    imageOf: (source) => copyImage(source, output),
  })
  const eleventy = new Eleventy(
    relative(process.cwd(), join(import.meta.dirname, 'site')),
    relative(process.cwd(), output),
    {
      quietMode: true,
      config: (config) => {
        config.setTemplateFormats(['md'])
        config.setLibrary('md', markdown)
        config.addGlobalData('kinds', kinds)
        config.addGlobalData('assets', assets)
        for (const { text, ...page } of pages) {
          const sections = sectionsOf(markdown, text, page)
          config.addTemplate(page.output.replace(/html$/, 'md'), text, {
            ...page,
            sections: sections.length < LEAST_SECTIONS ? [] : sections,
            permalink: page.output,
            layout: 'page.njk',
          })
        }
        // The pages contain braces that are not templates.
        return { markdownTemplateEngine: false }
      },
    },
  )
  await eleventy.write()
  compressBelow(output)
}

/** The style and the script by name, with addresses that carry a hash of their content. */
async function bundleAssets(output: string): Promise<Record<string, string>> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['guide/guide.css', 'guide/browser/theme.ts', 'console/src/icon.svg'],
    entryNames: '[name]-[hash]',
    outdir: join(output, 'assets'),
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
      ASSETS + basename(path),
    ]),
  )
}

function copyImage(source: string, output: string): string {
  const bytes = readFileSync(join(ROOT, source))
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 8)
  const name = `${basename(source, extname(source))}-${hash}${extname(source)}`
  writeFileSync(join(output, 'assets', name), bytes)
  return ASSETS + name
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildGuide(join(ROOT, 'dist/guide'))
}
