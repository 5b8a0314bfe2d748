import type { Rolldown } from 'vite'

type Groups = NonNullable<Rolldown.CodeSplittingOptions['groups']>
type Modules = Parameters<Extract<Groups[number]['name'], (...about: never[]) => unknown>>[1]

/** What pages may share without a page that shows little being charged for it: no library of wallets. */
const MAY_BE_SHARED =
  /(?:node_modules\/(?:preact|@preact|@tanstack|wouter-preact|regexparam|openapi-fetch|eventsource-parser)|clients\/typescript\/src|src\/domain|console\/src\/(?:api|ui|watch|content|book))\//

/**
 * What several pages share is loaded with what the first page needs, as one file. Left alone, the bundler
 * makes a file of each module that two pages share: ten before the first line is shown, some of 60 bytes,
 * where a browser opens six connections.
 */
export const sharedFile: Groups[number] = {
  debugName: 'shared',
  name: (id, modules) => {
    const roots = rootsOf(id, modules)
    const isFirst = roots.some((root) => modules.getModuleInfo(root)?.isEntry)
    return isFirst || (roots.length > 1 && MAY_BE_SHARED.test(id)) ? 'shared' : null
  },
}

/** The entry, and the modules that are loaded when they are needed, that import this one. */
function rootsOf(id: string, modules: Modules): string[] {
  const above = new Set([id])
  const roots: string[] = []
  // A set is walked to what is added meanwhile.
  for (const one of above) {
    const known = modules.getModuleInfo(one)
    if (known?.isEntry || (known?.dynamicImporters.length ?? 0) > 0) roots.push(one)
    for (const importer of known?.importers ?? []) above.add(importer)
  }
  return roots
}
