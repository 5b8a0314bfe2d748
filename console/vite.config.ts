import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { defineConfig, type Plugin } from 'vite'

const OUT = join(import.meta.dirname, '../dist/console')
const COMPRESSED = /\.(?:js|css|svg)$/

/** Beside each file its compressed forms: the service sends them as they are. */
const compressed = (): Plugin => ({
  name: 'compressed',
  closeBundle() {
    const assets = join(OUT, 'assets')
    for (const name of readdirSync(assets).filter((one) => COMPRESSED.test(one))) {
      const bytes = readFileSync(join(assets, name))
      writeFileSync(join(assets, `${name}.br`), brotliCompressSync(bytes))
      writeFileSync(join(assets, `${name}.gz`), gzipSync(bytes))
    }
  },
})

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  publicDir: false,
  resolve: {
    alias: { 'market-client': join(import.meta.dirname, '../clients/typescript/src/index.ts') },
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
  },
  plugins: [compressed()],
})
