import { join } from 'node:path'
import { defineConfig, type Plugin } from 'vite'
import { compressBelow } from './compress.ts'
import { pageFiles } from './page-files.ts'
import { sharedFile } from './shared-file.ts'

const OUT = join(import.meta.dirname, '../dist/console')
const compressed = (): Plugin => ({
  name: 'compressed',
  writeBundle: () => compressBelow(join(OUT, 'assets')),
})

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  publicDir: false,
  resolve: {
    alias: {
      'psbt-market-client': join(import.meta.dirname, '../clients/typescript/src/index.ts'),
    },
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: OUT,
    emptyOutDir: true,
    // An image inside a style would need a wider policy.
    assetsInlineLimit: 0,
    target: 'es2022',
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [sharedFile],
          includeDependenciesRecursively: false,
        },
      },
    },
  },
  plugins: [pageFiles(), compressed()],
})
