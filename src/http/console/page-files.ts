import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

/** As `console/page-files.ts` writes it: the files of each page, by where its addresses begin. */
const PageFiles = z.record(z.string(), z.array(z.string()))

/**
 * The one page of the console, by the path that is asked for: with links to the files that this path
 * needs, so that they are loaded beside the script that would ask for them.
 */
export async function readPages(directory: string): Promise<(path: string) => string> {
  const page = await readFile(join(directory, 'index.html'), 'utf8')
  const listed = join(directory, 'page-files.json')
  const files = existsSync(listed)
    ? PageFiles.parse(JSON.parse(await readFile(listed, 'utf8')))
    : {}
  const pages = Object.entries(files).map(
    ([begin, names]) => [begin, withLinks(page, names.map(linkTo))] as const,
  )
  return (path) =>
    pages.find(([begin]) => path === begin || path.startsWith(`${begin}/`))?.[1] ?? page
}

const linkTo = (file: string): string =>
  file.endsWith('.css')
    ? `<link rel="preload" as="style" crossorigin href="${file}">`
    : `<link rel="modulepreload" crossorigin href="${file}">`

/** The page with answers of the API that its script asks for first: they are loaded beside the script. */
export const withAnswers = (page: string, urls: readonly string[]): string =>
  withLinks(
    page,
    urls.map((url) => `<link rel="preload" as="fetch" crossorigin href="${url}">`),
  )

const withLinks = (page: string, links: readonly string[]): string =>
  page.replace('</head>', `${links.join('')}</head>`)
