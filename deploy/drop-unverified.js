// Removes installed packages that the lock file has no hash of: optional parts for platforms that it could not be made on.
//
//   node deploy/drop-unverified.js [FOLDER]      of package-lock.json and node_modules; by default this one
import { existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'

const folder = process.argv[2] ?? '.'
const { packages } = JSON.parse(readFileSync(path.join(folder, 'package-lock.json'), 'utf8'))
for (const [place, { integrity, link, optional }] of Object.entries(packages)) {
  const installed = path.join(folder, place)
  if (place === '' || link || integrity || !existsSync(installed)) continue
  if (!optional) throw new Error(`${place} has no hash, and nothing works without it`)
  rmSync(installed, { recursive: true })
  console.info(`without ${place}: the lock file has no hash of it`)
}
