import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { build, type Plugin } from 'esbuild'
import type { PlantedBug } from './planted-bugs.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
/** Packages are resolved from here. */
const FOLDER = path.join(ROOT, 'node_modules/.cache/market-simulation')

export interface SimulationBundle {
  /** The program of a thread. */
  worker: string
  drop(): void
}

/** The simulation and the code under test as one file, with a planted bug or without one. */
export async function bundleSimulation(bug: PlantedBug | null = null): Promise<SimulationBundle> {
  mkdirSync(FOLDER, { recursive: true })
  const folder = mkdtempSync(path.join(FOLDER, 'bundle-'))
  const worker = path.join(folder, 'seed-worker.mjs')
  const drop = () => rmSync(folder, { recursive: true, force: true })
  try {
    await build({
      entryPoints: [path.join(ROOT, 'test/simulation/seed-worker.ts')],
      outfile: worker,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      packages: 'external',
      logLevel: 'silent',
      plugins: [standingZlib, ...(bug ? [planting(bug)] : [])],
    })
  } catch (error) {
    drop()
    throw error
  }
  return { worker, drop }
}

/** The sources with the bug in them, by file. Throws unless each text occurs exactly once. */
export function plant({ name, and = [], ...first }: PlantedBug): Map<string, string> {
  const sources = new Map<string, string>()
  for (const { file, was, is } of [first, ...and]) {
    const source = sources.get(file) ?? readFileSync(path.join(ROOT, file), 'utf8')
    const places = source.split(was).length - 1
    if (places !== 1)
      throw new Error(`planted bug "${name}": its text occurs ${places} times in ${file}, not once`)
    sources.set(
      file,
      source.replace(was, () => is),
    )
  }
  return sources
}

/** The engine compresses on threads of its own, which answer at unpredictable times. */
const standingZlib: Plugin = {
  name: 'zlib that answers at once',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^node:zlib$/ }, () => ({
      path: path.join(ROOT, 'test/simulation/standing-zlib.ts'),
    })),
}

const planting = (bug: PlantedBug): Plugin => ({
  name: 'planted bug',
  setup: ({ onLoad }) => {
    const sources = plant(bug)
    onLoad({ filter: /\.ts$/ }, ({ path: loaded }) => {
      const contents = sources.get(path.relative(ROOT, loaded))
      return contents === undefined ? null : { contents, loader: 'ts' }
    })
  },
})
