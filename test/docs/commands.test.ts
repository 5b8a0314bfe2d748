import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { allBlocks, isNotRun, NOT_RUN, RUN_BY, RUN_ON_DEVNET } from '../support/docs/blocks.ts'
import { ROOT } from '../support/tree.ts'

// Every command and snippet of the README and the pages is run by a file that extracts it, or is listed with the reason.

const blocks = allBlocks()
const nameOf = ({ page, text }: { page: string; text: string }) =>
  `${page}: ${text.split('\n', 1)[0]}`

test('every command and snippet is run, or is listed with its reason', () => {
  expect(blocks.length).toBeGreaterThan(50)
  const others = blocks.filter((block) => !isNotRun(block) && !RUN_ON_DEVNET.includes(block.page))
  const isRun = ({ page, language }: (typeof blocks)[number]) =>
    RUN_BY.some(([of, what]) => of === page && what === language)
  expect(others.filter((block) => !isRun(block)).map(nameOf)).toEqual([])
  for (const [page, language, count, by] of RUN_BY) {
    const found = others.filter((block) => block.page === page && block.language === language)
    expect(found.map(nameOf), `${page}, run by ${by}`).toHaveLength(count)
  }
})

test('an address with a query is quoted, since zsh reads a question mark itself', () => {
  const commands = blocks.filter(({ language }) => language === 'sh')
  const bare = commands.flatMap(
    ({ text }) => text.match(/(?<=[\s=])https?:\/\/[^\s'"]*\?\S*/g) ?? [],
  )
  expect(bare).toEqual([])
})

test('the range of a statistic has both ends: by default it grows by a day every day', () => {
  const asked = blocks.flatMap(({ text }) => text.match(/\/stats\/[^\s'"]*/g) ?? [])
  expect(asked.length).toBeGreaterThan(4)
  expect(asked.filter((path) => path.includes('from=') && !path.includes('to='))).toEqual([])
})

test('each file that runs a page reads it', () => {
  for (const [page, , , by] of RUN_BY) {
    const name = page.split('/').at(-1) ?? page
    expect(readFileSync(join(ROOT, by), 'utf8'), by).toContain(name)
  }
})

test('every exception applies to one block', () => {
  for (const [page, begins] of NOT_RUN) {
    const found = blocks.filter((block) => block.page === page && block.text.startsWith(begins))
    expect(found.map(nameOf), `${page}: ${begins}`).toHaveLength(1)
  }
})
