import { join } from 'node:path'
import type { Plugin, Rolldown } from 'vite'

/** The pages that `app.tsx` loads by themselves: where their addresses begin, and the module of each. */
const PAGES: Readonly<Record<string, string>> = {
  '/console/orders': 'order/order-page.tsx',
  '/console/find': 'find/find-page.tsx',
  '/console/market': 'market/market-page.tsx',
  '/console/sell': 'sell/sell-page.tsx',
  '/console/pairing': 'pairing/pages.tsx',
  '/console/circles': 'circles/circles-page.tsx',
  '/console/operations': 'operations/operations-page.tsx',
  '/console/devnet': 'devnet/devnet-page.tsx',
}

/**
 * Writes `page-files.json`: the files that each page needs beside the files of `index.html`. The page that the
 * service sends has links to them (`src/http/console/page-files.ts`): a browser asks for them with the
 * first script, not after it has run.
 */
export const pageFiles = (): Plugin => ({
  name: 'page-files',
  generateBundle: {
    order: 'post',
    handler(_options, bundle) {
      const loaded = this.getModuleInfo(moduleAt('app.tsx'))?.dynamicallyImportedIds ?? []
      const known = Object.values(PAGES).map(moduleAt)
      const unknown = loaded.filter((one) => !known.includes(one))
      if (unknown.length > 0) throw new Error(`PAGES lacks ${unknown}`)
      const chunks = Object.values(bundle).filter((one) => one.type === 'chunk')
      const first = new Set(
        chunks.filter(({ isEntry }) => isEntry).flatMap((one) => below(chunks, one)),
      )
      const files = Object.entries(PAGES).map(([path, module]) => {
        const page = chunks.find(({ facadeModuleId }) => facadeModuleId === moduleAt(module))
        if (!page) throw new Error(`${module} is no page`)
        const needed = below(chunks, page).filter((name) => !first.has(name))
        return [path, needed.map((name) => `/console/${name}`)]
      })
      const source = JSON.stringify(Object.fromEntries(files))
      this.emitFile({ type: 'asset', fileName: 'page-files.json', source })
    },
  },
})

const moduleAt = (name: string): string => join(import.meta.dirname, 'src', name)

/** A chunk, the styles of its modules, and all that it imports. */
function below(
  chunks: readonly Rolldown.OutputChunk[],
  { fileName }: Rolldown.OutputChunk,
): string[] {
  const found = new Set([fileName])
  // A set is walked to what is added meanwhile.
  for (const name of found) {
    const chunk = chunks.find((one) => one.fileName === name)
    for (const one of chunk?.imports ?? []) found.add(one)
    for (const one of chunk?.viteMetadata?.importedCss ?? []) found.add(one)
  }
  return [...found]
}
