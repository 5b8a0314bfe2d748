import type { DisputeBundle } from '../../../src/schemas/dispute/bundle.ts'

/** Every leaf of a bundle by its dotted path, with a bundle in which only that leaf differs. */
export function mutations(
  bundle: DisputeBundle,
  to: (value: unknown) => unknown = another,
): [path: string, changed: DisputeBundle][] {
  return leavesOf(bundle).map((steps) => {
    const changed = structuredClone(bundle)
    const last = steps.at(-1) ?? ''
    const holder = steps
      .slice(0, -1)
      .reduce<Record<string, unknown>>(
        (node, step) => node[step] as Record<string, unknown>,
        changed as unknown as Record<string, unknown>,
      )
    holder[last] = to(holder[last])
    return [steps.join('.'), changed]
  })
}

function leavesOf(value: unknown, steps: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [[...steps]]
  return Object.entries(value).flatMap(([name, held]) => leavesOf(held, [...steps, name]))
}

/** A value of the same type, so that no schema alone detects it. */
function another(value: unknown): unknown {
  if (typeof value === 'number') return value + 1
  if (typeof value === 'boolean') return !value
  if (value === null) return 'something'
  const text = String(value)
  const at = Math.trunc(text.length / 2)
  const letter = text[at] ?? ''
  const next = /[0-8a-eA-E]/.test(letter) ? String.fromCharCode(letter.charCodeAt(0) + 1) : '0'
  return text.slice(0, at) + (next === letter ? '1' : next) + text.slice(at + 1)
}
