import { dirname } from 'node:path'

/** What each file or folder imports. */
export type ImportGraph = ReadonlyMap<string, Iterable<string>>

/** Every group of nodes that reach each other, sorted: none in a graph without circles (Tarjan). */
export function circlesIn(graph: ImportGraph): string[][] {
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: string[] = []
  const circles: string[][] = []
  const visit = (node: string): number => {
    const number = order.size
    order.set(node, number)
    open.push(node)
    let low = number
    for (const target of graph.get(node) ?? []) {
      if (!order.has(target)) low = Math.min(low, visit(target))
      else if (open.includes(target))
        low = Math.min(low, lowest.get(target) ?? order.get(target) ?? 0)
    }
    lowest.set(node, low)
    if (low === number) {
      const group = open.splice(open.indexOf(node))
      if (group.length > 1) circles.push(group.sort())
    }
    return low
  }
  for (const node of graph.keys()) if (!order.has(node)) visit(node)
  return circles.sort((one, other) => `${one}`.localeCompare(`${other}`))
}

/**
 * What the rooms of a folder import of each other: each folder in it with all that is below it, and
 * its own files as the room `.`.
 */
export function roomsOf(folder: string, files: ImportGraph): Map<string, Set<string>> {
  const roomOf = (path: string): string | undefined =>
    path.startsWith(`${folder}/`)
      ? dirname(path) === folder
        ? '.'
        : path.slice(folder.length + 1).split('/')[0]
      : undefined
  const rooms = new Map<string, Set<string>>()
  for (const [path, targets] of files) {
    const from = roomOf(path)
    if (from === undefined) continue
    const imported = rooms.get(from) ?? new Set()
    rooms.set(from, imported)
    for (const target of targets) {
      const to = roomOf(target)
      if (to !== undefined && to !== from) imported.add(to)
    }
  }
  return rooms
}

/** Each folder of these files, and those above it. */
export function foldersOf(files: Iterable<string>): string[] {
  const folders = new Set<string>()
  for (const path of files)
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) folders.add(folder)
  return [...folders].sort()
}
