import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { filesBelow, MAY_IMPORT, ROOT } from '../support/tree.ts'

const SKIPPED = new Set(['node_modules', 'dist', 'data', 'coverage', '.git'])

const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const files = filesBelow('.', SKIPPED)
const pages = files.filter((path) => path.endsWith('.md'))
const code = files.filter((path) => path.endsWith('.ts') && !path.startsWith('test/docs/'))

/** A heading's anchor, as the sites that show the pages make it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

/** Pages without fenced blocks, where nothing is a heading or a link. */
const proseOf = (text: string): string => text.replaceAll(/^```[\s\S]*?^```/gm, '')
const anchorsOf = (path: string): string[] =>
  [...proseOf(textOf(path)).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading))

/** The fault of a link to `target` from a file of `folder`; null: none. */
function fault(folder: string, target: string): string | null {
  const [file = '', anchor] = target.split('#')
  const path = join(folder, decodeURI(file))
  if (!existsSync(join(ROOT, path))) return `${target}: no such file`
  if (anchor === undefined || !path.endsWith('.md')) return null
  return anchorsOf(path).includes(anchor) ? null : `${target}: no such heading`
}

const faults = (links: { from: string; folder: string; target: string }[]): string[] =>
  links.flatMap(({ from, folder, target }) => {
    const found = fault(folder, target)
    return found === null ? [] : [`${from} → ${found}`]
  })

const linksOf = (path: string) =>
  [...proseOf(textOf(path)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const isOwn = target.startsWith('#')
      return isOwn
        ? { from: path, folder: '.', target: path + target }
        : { from: path, folder: dirname(path), target }
    })

describe('every link', () => {
  test('of a page leads to a file, and to a heading of it', () => {
    const links = pages.flatMap(linksOf)
    expect(links.length).toBeGreaterThan(200)
    expect(faults(links)).toEqual([])
  })

  // `docs/src` is a folder of ord.
  test('that a comment cites leads to a page, and to a heading of it', () => {
    const citations = code.flatMap((path) =>
      [...textOf(path).matchAll(/\bdocs\/(?!src\/)[a-z0-9/-]+\.md(?:#[a-z0-9-]+)?/g)].map(
        ([target]) => ({
          from: path,
          folder: '.',
          target,
        }),
      ),
    )
    expect(
      citations.filter(({ target }) => target.startsWith('docs/design/')).length,
    ).toBeGreaterThan(30)
    expect(faults(citations)).toEqual([])
  })

  test('of a decision by its number has that number', () => {
    const numbered = pages.flatMap((path) =>
      [...textOf(path).matchAll(/\[(?:ADR )?(\d+)\]\((?:[^)\s]*\/)?(\d{4})-[a-z0-9-]+\.md/g)].map(
        ([link, label, number]) => ({
          link: `${path}: ${link}`,
          isOwn: Number(label) === Number(number),
        }),
      ),
    )
    expect(numbered.length).toBeGreaterThan(200)
    expect(numbered.filter(({ isOwn }) => !isOwn)).toEqual([])
  })

  test('of a comment names its page: none cites a section without a page', () => {
    const nameless = code.filter((path) => /\(design: |[(;] ?(see )?design:/.test(textOf(path)))
    expect(nameless).toEqual([])
  })
})

test('a comment that cites a contract names it', () => {
  const nameless = files
    .filter((path) => path.startsWith('src/') && path.endsWith('.ts'))
    .flatMap((path) =>
      [...textOf(path).matchAll(/(\w+[\s*]+)?\bspec \d/gi)]
        .filter(([, before = '']) => !/^(gateway|pairing|circle)\b/i.test(before))
        .map(([text]) => `${path}: ${text}`),
    )
  expect(nameless).toEqual([])
})

describe('docs/architecture.md', () => {
  const page = textOf('docs/architecture.md')

  test('has the folders and what they may import, as the test of the tree holds them', () => {
    const rows = [
      ...page.matchAll(/^\| \[`src\/([\w-]+)`\]\(\.\.\/src\/([\w-]+)\) \| .{20,} \| (.*) \|$/gm),
    ]
    const expected = Object.entries(MAY_IMPORT).map(([folder, others]) => [
      folder,
      folder,
      others.join(', ') || 'nothing',
    ])
    expect(rows.map(([, ...cells]) => cells)).toEqual(expected)
  })

  test('has a line for each room of the folders, in no other place and of no other room', () => {
    const folders = new Set(filesBelow('src').map((path) => dirname(path)))
    const rooms = [...folders].filter((path) => path.split('/').length > 2)
    const lines = [...page.matchAll(/^- \[`([^`]+)`\]\(\.\.\/src\/([\w-]+)\/([^)]+)\): .{15,}$/gm)]
    expect(lines.filter(([, name, , path]) => name !== path).map(([line]) => line)).toEqual([])
    expect(lines.map(([, , floor, path]) => `src/${floor}/${path}`).sort()).toEqual(rooms.sort())
  })

  test('names what is in the files that it links to', () => {
    const symbols = [...page.matchAll(/\[`([A-Za-z_]+)`\]\(\.\.\/([^)]+\.ts)\)/g)]
    expect(symbols.length).toBeGreaterThan(40)
    const absent = symbols.filter(([, symbol = '', path = '']) => {
      const declared = new RegExp(
        `export (abstract )?(async )?(function\\*?|class|const|type|interface) ${symbol}\\b`,
      )
      return !declared.test(textOf(path))
    })
    expect(absent.map(([text]) => text)).toEqual([])
  })

  test.each([
    ['unpriced orders last', 'query-index/sorts.ts'],
    ['search by word', 'listing.ts'],
    ['the bounds of an order', 'domain/limits.ts'],
    ['what happens when `ord` lags', 'follow-index.ts'],
    ['the BIP-322 check', 'judge-proof.ts'],
    ['where a reorg is undone', 'route.ts'],
    ['who may write the lifecycle', 'owned-partition.ts'],
    ['the nine fields', 'schemas/api/pairing.ts'],
    ['the canonical frame', 'graph-bytes.ts'],
    ['the twelve kill points', 'crash-points.ts'],
  ])('says where %s is', (question, file) => {
    const row = page.split('\n').find((line) => line.startsWith(`| ${question}`))
    expect(row).toContain(file)
  })
})

test('the index of the decisions has every decision, by its number and title', () => {
  const index = textOf('docs/adr/README.md')
  const decisions = pages.filter((path) => /^docs\/adr\/\d/.test(path))
  for (const path of decisions) {
    const [, number, title] = /^# (\d+)\. (.*)$/m.exec(textOf(path)) ?? []
    const name = relative('docs/adr', path)
    expect(Number(name.slice(0, 4)), path).toBe(Number(number))
    expect(index).toContain(`| [${number}](${name}) | ${title} | `)
  }
  expect(index.match(/^\| \[\d+\]/gm)).toHaveLength(decisions.length)
})

const partsOf = (change: string) => {
  const [earlier = '', later = ''] = change.split(' by ')
  return { earlier, later }
}

describe('each decision in the index', () => {
  const rows = textOf('docs/adr/README.md')
    .split('\n')
    .filter((line) => /^\| \[\d+\]/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()))

  test('has an area, one of several of its kind', () => {
    const areas = rows.map(([, , , area]) => area)
    expect(areas.filter((area) => area === '')).toEqual([])
    expect(new Set(areas).size).toBeLessThan(20)
  })

  /** What a later decision changed of an earlier one, as `earlier by later`. */
  const changed = rows.flatMap(([, link = '', , , , status = '']) =>
    [...status.matchAll(/\b(?:replaced|ended|settled) by (\d+)/g)].map(
      ([, by]) => `${/\[(\d+)\]/.exec(link)?.[1]} by ${by}`,
    ),
  )

  test('is in force, or changed by one that names it', () => {
    for (const { earlier, later } of changed.map(partsOf)) {
      const page = pages.find((path) => path.startsWith(`docs/adr/${later.padStart(4, '0')}-`))
      expect(textOf(page ?? ''), later).toMatch(new RegExp(`\\bADR\\s+${earlier}\\b`))
    }
  })

  test('says by which later one it was changed', () => {
    const said = pages
      .filter((path) => /^docs\/adr\/\d/.test(path))
      .flatMap((path) => {
        const later = Number(relative('docs/adr', path).slice(0, 4))
        const sentences = textOf(path)
          .replace(/\]\([^)]*\)/g, ']')
          .matchAll(/\b(?:Ends|Changes|Settles|[Ss]upersedes|Replaces)\b[^.]*/g)
        return [...sentences].flatMap(([sentence]) =>
          [...sentence.matchAll(/\bADR\s+(\d+)/g)].map(([, earlier]) => `${earlier} by ${later}`),
        )
      })
    expect(said.length).toBeGreaterThan(10)
    expect(said.filter((one) => !changed.includes(one))).toEqual([])
  })
})
